package stream

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"unfold/internal/backoff"
)

// Progress is the progress of the group in a partition, as reported by the brokers.
type Progress struct {
	// Position is the committed offset of the group, or the one where reading began if there is
	// none.
	Position
	// End is the offset behind the last one in the log.
	End int64
}

// Standing is a partition in which messages wait and nothing is committed.
type Standing struct {
	TopicPartition
	// Ahead is the number of offsets between the committed one and the end of the log.
	Ahead int64
	// Since is the time at which the current committed offset was first seen.
	Since time.Time
}

// watch records the progress in the partitions of a generation.
type watch struct {
	mu     sync.Mutex
	states map[TopicPartition]Standing
	offset map[TopicPartition]int64
	// failing is the error of queries to the brokers, since the given time; nil if they succeed.
	failing error
	since   time.Time
}

func newWatch() *watch {
	return &watch{states: map[TopicPartition]Standing{}, offset: map[TopicPartition]int64{}}
}

// run queries the progress at once and then at regular intervals, until the context is done.
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

// ask queries the progress once, with a timeout.
func ask(ctx context.Context, gen Generation, timeout time.Duration) ([]Progress, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return gen.Progress(ctx)
}

// note records the result of a query and returns the lag of each partition.
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

// Standing returns the partitions of this process in which messages have waited for at least the
// given time while none was finished. If queries to the brokers fail, it also returns the error and
// the time of the first failure. Both results are empty while no share of the source is owned.
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
