package stream

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"unfold/internal/backoff"
)

// Progress is how far the group has come in a partition, as the brokers know it.
type Progress struct {
	// Position is the group's committed one, or where reading began if there is none.
	Position
	// Read is the offset behind all that was fetched, End the one behind the last
	// message in the log. What lies between the last message and End, such as the
	// markers of transactions, is fetched and is no message.
	Read, End int64
}

// Standing is a partition in which messages wait and nothing moves.
type Standing struct {
	TopicPartition
	// Ahead is how many offsets lie between the committed one and the log's end.
	Ahead int64
	// Since is when its committed offset was first seen as it is.
	Since time.Time
}

// watch knows how the partitions of a generation stand.
type watch struct {
	mu sync.Mutex
	// handed is the offset behind the last message that was read, for each partition.
	handed map[TopicPartition]int64
	states map[TopicPartition]Standing
	offset map[TopicPartition]int64
	// failing is why the brokers cannot be asked, and since when; nil: they can.
	failing error
	since   time.Time
}

func newWatch(assigned []Position) *watch {
	w := &watch{handed: map[TopicPartition]int64{}, states: map[TopicPartition]Standing{}, offset: map[TopicPartition]int64{}}
	for _, a := range assigned {
		w.handed[a.TopicPartition] = a.Offset
	}
	return w
}

// hand notes that everything before offset was read.
func (w *watch) hand(tp TopicPartition, offset int64) {
	w.mu.Lock()
	w.handed[tp] = max(w.handed[tp], offset)
	w.mu.Unlock()
}

// run asks now and then, from the beginning on, until the context is done.
func (w *watch) run(ctx context.Context, gen Generation, s *Settings, hooks *Hooks) {
	for {
		asking, cancel := context.WithTimeout(ctx, s.LagTimeout)
		all, err := gen.Progress(asking)
		cancel()
		if ctx.Err() != nil {
			return
		}
		for tp, n := range w.note(all, err, time.Now()) {
			hooks.lag(tp, n)
		}
		if backoff.Wait(ctx, s.LagEvery) != nil {
			return
		}
	}
}

// note takes an answer in and returns the lag of each partition.
func (w *watch) note(all []Progress, err error, now time.Time) map[TopicPartition]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		if w.failing == nil {
			w.since = now
		}
		w.failing = err
		return nil
	}
	w.failing = nil
	lags := make(map[TopicPartition]int64, len(all))
	for _, p := range all {
		n := max(0, p.End-p.Offset)
		if p.Read >= p.End && p.Offset >= w.handed[p.TopicPartition] {
			n = 0 // behind the last message there are markers only
		}
		lags[p.TopicPartition] = n
		before, known := w.states[p.TopicPartition]
		if !known || before.Ahead == 0 || n == 0 || w.offset[p.TopicPartition] != p.Offset {
			before.Since = now
		}
		w.states[p.TopicPartition] = Standing{p.TopicPartition, n, before.Since}
		w.offset[p.TopicPartition] = p.Offset
	}
	return lags
}

// Standing lists the partitions of this process in which messages have waited for longer
// than the given time and none was finished. If the brokers cannot be asked, it says since
// when and why. Both are empty while no share of the source is owned.
func (p *Pipeline) Standing(longer time.Duration) (list []Standing, since time.Time, failing error) {
	w := p.watching.Load()
	if w == nil {
		return nil, time.Time{}, nil
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.states {
		if s.Ahead > 0 && now.Sub(s.Since) >= longer {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Standing) int { return cmp.Or(cmp.Compare(a.Topic, b.Topic), a.Partition-b.Partition) })
	return list, w.since, w.failing
}
