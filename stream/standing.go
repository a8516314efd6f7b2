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
	// End is the offset behind the last one in the log.
	End int64
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
	mu     sync.Mutex
	states map[TopicPartition]Standing
	offset map[TopicPartition]int64
	// failing is why the brokers cannot be asked, and since when; nil: they can.
	failing error
	since   time.Time
}

func newWatch() *watch {
	return &watch{states: map[TopicPartition]Standing{}, offset: map[TopicPartition]int64{}}
}

// run asks now and then, from the beginning on, until the context is done.
func (w *watch) run(ctx context.Context, gen Generation, s *Settings, hooks *Hooks) {
	for {
		all, err := ask(ctx, gen, s.LagTimeout)
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

// ask asks once, for at most so long.
func ask(ctx context.Context, gen Generation, timeout time.Duration) ([]Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return gen.Progress(ctx)
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
		lags[p.TopicPartition] = n
		before, known := w.states[p.TopicPartition]
		if !known || before.Ahead == 0 || w.offset[p.TopicPartition] != p.Offset {
			before.Since = now
		}
		w.states[p.TopicPartition] = Standing{p.TopicPartition, n, before.Since}
		w.offset[p.TopicPartition] = p.Offset
	}
	return lags
}

// Standing lists the partitions of this process in which messages have waited for the given
// time, or longer, and none was finished. If the brokers cannot be asked, it says since
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
