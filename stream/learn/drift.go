package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters/identity"
	"unfold/models/drift"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/reference"
)

// Drift detection. Events go through a queue of their own to one goroutine, so that nothing blocks.
// If the queue is full, events are skipped and counted.
const (
	// queueWindows is the capacity of the queue in windows.
	queueWindows = 8
	// staleWindows is the least number of windows for which a sample is used, unless there is an
	// alarm. By then the map contains many newer events, which the next sample represents.
	staleWindows = 100
)

// watcher compares the newest events with a sample of the map's points. A nil watcher does nothing.
type watcher struct {
	set    drift.Settings
	report func(stream.Drift)
	// wake has a token if there is work to do.
	wake chan struct{}

	// The work for the goroutine, and its last result. Guarded by mu.
	mu    sync.Mutex
	next  *against // the map from which to draw a sample, nil for none
	drawn bool     // a sample was drawn
	queue vec.Matrix[float32]
	// alarmed is true if there was an alarm since the last sample. since counts the events until
	// the alarm.
	alarmed bool
	since   uint64
	now     stream.Drift

	// These belong to the goroutine.
	monitor *drift.Monitor
	project *projection.Projection
	groups  *identity.Groups // their labels are the clusters of the sample
}

// against is a map from whose points a sample is drawn, with its clusters, nil without clustering.
type against struct {
	snapshot *snapshot.Snapshot
	groups   *identity.Groups
}

// clusters returns the labels of the points, nil without clusters.
func (a *against) clusters() []int32 {
	if a.groups == nil {
		return nil
	}
	label := map[identity.ID]int32{identity.Noise: -1}
	for l, id := range a.groups.ID {
		label[id] = int32(l)
	}
	out := make([]int32, a.snapshot.Reference.Rows)
	for i := range out {
		out[i] = label[a.groups.Point(i)]
	}
	return out
}

// checkDrift validates the settings of drift detection.
func (s Settings) checkDrift() error {
	if s.Drift.Window == 0 {
		return nil
	}
	if s.Policy == reference.Coverage {
		return errors.New("drift: a reference set with the policy coverage is no sample of the events: choose reservoir or window")
	}
	if _, err := s.Drift.Filled(); err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	return nil
}

// driftBytes bounds the memory of the watcher for events of dim values, reduced to seen values by
// the projection.
func (s Settings) driftBytes(dim, seen int) int64 {
	if s.Drift.Window == 0 {
		return 0
	}
	return s.Drift.Bytes(seen) + int64(2*queueWindows*s.Drift.Window)*int64(4*dim)
}

func newWatcher(s Settings) *watcher {
	if s.Drift.Window == 0 {
		return nil
	}
	set := s.Drift
	set.Seed, set.Threads = s.Seed, 1
	return &watcher{set: set, report: s.Hooks.Drifted, wake: make(chan struct{}, 1)}
}

// published offers the points of a published map for the next sample. A sample is due at first,
// after an alarm, and after many windows. Only later events are compared with it, so that none of
// them is also in the sample.
func (w *watcher) published(s *snapshot.Snapshot, groups *identity.Groups) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.drawn && !w.alarmed && w.now.Events-w.since < uint64(staleWindows*w.set.Window) {
		return
	}
	w.next, w.drawn, w.alarmed, w.since, w.queue = &against{s, groups}, true, false, w.now.Events, vec.Matrix[float32]{}
	w.now = stream.Drift{Version: s.Version, Alarms: w.now.Alarms, Events: w.now.Events, Skipped: w.now.Skipped}
	w.signal()
}

// take queues encoded events.
func (w *watcher) take(x vec.Matrix[float32]) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.drawn {
		return
	}
	n := max(0, min(x.Rows, queueWindows*w.set.Window-w.queue.Rows))
	w.now.Skipped += uint64(x.Rows - n)
	w.queue = vec.Of(w.queue.Rows+n, x.Cols, append(w.queue.Data, x.Slice(0, n).Data...))
	w.signal()
}

// signal wakes the goroutine.
func (w *watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// stats returns the last result without its clusters, to keep histories short.
func (w *watcher) stats() stream.Drift {
	if w == nil {
		return stream.Drift{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.now
	d.Clusters = nil
	return d
}

// run tests events until ctx ends.
func (w *watcher) run(ctx context.Context) {
	if w == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		next, queue := w.waiting()
		if next != nil {
			w.says(0, nil, w.draw(next))
		}
		if queue.Rows == 0 {
			continue
		}
		looks, err := w.look(ctx, queue)
		if ctx.Err() == nil {
			w.says(queue.Rows, looks, err)
		}
	}
}

// waiting returns the work for the goroutine and clears it.
func (w *watcher) waiting() (next *against, queue vec.Matrix[float32]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	next, queue = w.next, w.queue
	w.next, w.queue = nil, vec.Matrix[float32]{}
	return next, queue
}

// draw draws a new sample. If a map has too few events, the next one is tried.
func (w *watcher) draw(next *against) error {
	s := next.snapshot
	set := w.set
	set.Distance = s.Distance
	m, err := drift.New(drift.Rows{X: s.Reference, Count: s.Count, Cluster: next.clusters()}, set)
	w.monitor, w.project, w.groups = m, projection.Of(s), next.groups
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drawn = w.next != nil
	return fmt.Errorf("map version %d: %w", s.Version, err)
}

// look compares events with the sample. It leaves out events that have no place on the map.
func (w *watcher) look(ctx context.Context, events vec.Matrix[float32]) ([]drift.Look, error) {
	if w.monitor == nil {
		return nil, nil
	}
	if events.Cols != w.project.Dim() {
		return nil, models.BadInputf("events of %d values on a map of events of %d", events.Cols, w.project.Dim())
	}
	for {
		looks, err := w.monitor.Add(ctx, drift.Rows{X: w.project.Apply(events, w.set.Threads)})
		var row *models.RowError
		if !errors.As(err, &row) {
			return looks, err
		}
		events = vec.Of(events.Rows-1, events.Cols, slices.Delete(events.Data, row.Row*events.Cols, (row.Row+1)*events.Cols))
	}
}

// says logs the results for a number of events, or, with 0 events, that a sample was drawn. It
// reports new results.
func (w *watcher) says(events int, looks []drift.Look, err error) {
	w.mu.Lock()
	if w.monitor == nil {
		w.now.Skipped += uint64(events)
	} else {
		w.now.Events += uint64(events)
	}
	w.now.Raised = false
	for _, l := range looks {
		if l.Raised {
			w.now.Alarms++
			w.now.Raised, w.alarmed = true, true
		}
	}
	if len(looks) > 0 && w.next == nil { // otherwise another sample is about to be drawn
		w.now = w.said(looks[len(looks)-1])
	}
	if err != nil {
		w.now.Problem = err.Error()
	}
	now := w.now
	w.mu.Unlock()
	if w.report != nil && (len(looks) > 0 || err != nil || events == 0) {
		w.report(now)
	}
}

// said converts a result and adds the present counters. The caller must hold the lock.
func (w *watcher) said(l drift.Look) stream.Drift {
	d := w.now
	d.Window, d.Reference = w.monitor.Window(), w.monitor.Reference()
	d.Tree, d.Neighbors, d.Degree, d.P = l.Tree.Z, l.Neighbors.Z, l.Neighbors.Degree, l.Neighbors.P
	d.Level, d.Bound, d.Alarm = l.Level, l.Bound, l.Alarm
	d.Clusters = nil
	for _, c := range w.monitor.Clusters() {
		d.Clusters = append(d.Clusters, stream.ClusterDrift{
			Cluster: uint64(w.groups.ID[c.Label]), Reference: c.Reference, Window: c.Newest,
			Tree: c.Tree.Z, Neighbors: c.Neighbors.Z, Degree: c.Neighbors.Degree, P: c.Neighbors.P,
		})
	}
	return d
}
