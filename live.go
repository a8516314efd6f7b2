package unfold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
)

// Refreshed is what a Refresh did.
type Refreshed struct {
	// Kind is "ordinary", "gentle" or "major", in the order of what it costs and moves, or
	// "still" if there are fewer than two points and nothing was done.
	Kind string
	// Version and Epoch are those of the map that it made.
	Version uint64
	Epoch   uint32
	// Points on the map, of which Born are new; Gone were there before.
	Points, Born, Gone int
	// Iterations of learning, and the Objective after them.
	Iterations int
	Objective  float64
	// Diameter is that of the map: a circle that holds 99.5% of it. The points that stayed
	// moved by Median, P90 and P99, in percent of it.
	Diameter         float64
	Median, P90, P99 float64
	// Alarm says that with this Refresh more of the inserted rows were novel than chance
	// explains: the stream has changed.
	Alarm bool
	// Seconds is what the Refresh took.
	Seconds float64
}

// Insert makes points of the rows of x (n x Dim) and returns their numbers. A row that
// equals a point has its number, and has to be deleted by itself. Numbers that became free
// are used again, the lowest first. The new points are on the map after the next Refresh.
//
// On an error nothing has changed. Maps of other kinds than Student and Saul do not live:
// the error matches errors.ErrUnsupported.
func (m *Map) Insert(ctx context.Context, x mat.Matrix) ([]int, error) {
	return m.InsertLabelled(ctx, x, nil)
}

// InsertLabelled is Insert of rows with labels, "" where a row has none: a map that was learnt
// with Student.Supervision goes on to learn by them, others pass over them. A point has the label of
// the last of its rows that came with one. Without labels, nil, it is Insert.
func (m *Map) InsertLabelled(ctx context.Context, x mat.Matrix, labels []string) ([]int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.wake(ctx); err != nil {
		return nil, err
	}
	v := m.now.Load()
	from, err := v.source(x)
	if err != nil || from.rows == 0 {
		return nil, err
	}
	if labels != nil && len(labels) != from.rows {
		return nil, public(models.BadInputf("%d labels for %d rows", len(labels), from.rows), 0)
	}
	rows, err := from.dense(0, from.rows)
	if err != nil {
		return nil, err
	}
	placed, err := v.placer.Place(ctx, rows)
	if err != nil {
		return nil, public(err, 0)
	}
	slots, err := m.live.Change(ctx, nil, rows, live.StartAt(v.snap, placed.Mu))
	if err != nil {
		return nil, public(err, 0)
	}
	for i, l := range labels {
		if l != "" {
			m.live.Label(slots[i:i+1], labels[i:i+1])
		}
	}
	m.live.Novelty(placed.NoveltyLocal)
	id := make([]int, len(slots))
	for i, s := range slots {
		id[i] = int(s)
	}
	return id, nil
}

// Delete deletes rows by the numbers of their points, once for every row; a point goes with
// the last of its rows. Its place is on the map until the next Refresh. On an error, such as
// a number that no point has, nothing has changed. Errors are those of Insert.
func (m *Map) Delete(ctx context.Context, points []int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.wake(ctx); err != nil {
		return err
	}
	slots, times := make([]int32, len(points)), map[int]int{}
	for i, p := range points {
		if times[p]++; p < 0 || p != int(int32(p)) || times[p] > m.live.Count(int32(p)) {
			return public(models.BadInputf("point %d is to be deleted, but there is none of that number, or fewer rows of it", p), 0)
		}
		slots[i] = int32(p)
	}
	_, err := m.live.Change(ctx, slots, vec.Matrix[float32]{}, vec.Matrix[float64]{})
	return public(err, 0)
}

// Refresh lets the map follow what was inserted and deleted, and what Place uses is the new
// map. If it fails, or ctx ends, the map stays what it was. Errors are those of Insert.
func (m *Map) Refresh(ctx context.Context) (*Refreshed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.wake(ctx); err != nil {
		return nil, err
	}
	r, err := m.live.Refresh(ctx)
	if err != nil {
		return nil, public(err, 0)
	}
	out := &Refreshed{
		Kind: r.Kind.String(), Version: r.Version, Epoch: r.Epoch, Points: r.Points, Born: r.Born, Gone: r.Gone,
		Iterations: r.Steps, Objective: r.Loglik, Diameter: r.Diameter, Median: r.Moves.Median, P90: r.Moves.P90, P99: r.Moves.P99,
		Alarm: r.Alarm.Raised, Seconds: r.Seconds,
	}
	if r.Kind == live.Still {
		return out, nil
	}
	s, err := m.followed(m.now.Load().snap)
	if err != nil {
		return nil, public(err, 0)
	}
	v, err := m.look(s)
	if err != nil {
		return nil, err
	}
	m.now.Store(v)
	return out, nil
}

// wake prepares the first change: from here on the map follows its points.
func (m *Map) wake(ctx context.Context) error {
	if err := ctx.Err(); err != nil || m.live != nil {
		return err
	}
	s := m.now.Load().snap
	kind, err := fit.Kinds{}.Find(s.Kind)
	if err != nil {
		return public(err, 0)
	}
	if !kind.Carried {
		return fmt.Errorf("unfold: maps of kind %s do not follow their points: Fit again, or learn one of kind %s: %w", kindOf(s), Student, errors.ErrUnsupported)
	}
	spec, err := fit.ParseSpec(s)
	if err != nil {
		return public(err, 0)
	}
	kept, err := keptIn(s)
	if err != nil {
		return public(err, 0)
	}
	spec.Threads, m.size = m.threads, kept.Size
	m.live, err = fit.Resume(ctx, s, kept.State, spec, live.Settings{})
	return public(err, 0)
}

// kept is what a file holds of a map that lives, beside the map.
type kept struct {
	// Size was the number of points for which the weight of pairs held. Programs of version 0.1 need it to
	// read the file; nothing depends on it any more.
	Size  int        `json:"size"`
	State live.State `json:"state"`
}

// keptPart is its name in a file.
const keptPart = "live.state"

// keptIn reads it; a map that has not been refreshed is as large as it is meant to be.
func keptIn(s *snapshot.Snapshot) (kept, error) {
	n := s.Reference.Rows
	k := kept{Size: n, State: live.State{MajorPoints: n}}
	if _, there := s.Part(keptPart); !there {
		return k, nil
	}
	raw, err := snapshot.PartOf[byte](s, keptPart, 0, 1)
	if err == nil {
		err = json.Unmarshal(raw, &k)
	}
	id := k.State.Slots
	last := int32(-1)
	rises := !slices.ContainsFunc(id, func(i int32) bool {
		fell := i <= last
		last = i
		return fell
	})
	if err == nil && (k.Size < 2 || id != nil && len(id) != n || !rises) {
		err = fmt.Errorf("size %d, and %d numbers for %d points, which have to rise from 0 on", k.Size, len(id), n)
	}
	if err != nil {
		return k, models.BadInputf("the model file's part %q cannot be used: %w", keptPart, err)
	}
	return k, nil
}

// followed is the map of a refresh with what stays of the one before: how columns become
// vectors, and whose map it is.
func (m *Map) followed(before *snapshot.Snapshot) (*snapshot.Snapshot, error) {
	s, err := m.live.Snapshot()
	if err != nil {
		return nil, err
	}
	s.Encoder, s.Names, s.MapID = before.Encoder, before.Names, before.MapID
	state, err := json.Marshal(kept{m.size, m.live.State()})
	if err != nil {
		return nil, err
	}
	s.Parts = slices.Concat(s.Parts, []snapshot.Part{{Name: keptPart, Rows: len(state), Cols: 1, Data: state}})
	return s, nil
}
