package online

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"unfold/models"
	"unfold/models/kinds"
	"unfold/models/snapshot"
	"unfold/sparse/vec"
	"unfold/stream"
)

// notEnough says that the collected events do not make a map, and that more
// might.
type notEnough struct{ err error }

func (e *notEnough) Error() string { return e.err.Error() }
func (e *notEnough) Unwrap() error { return e.err }

// first learns the encoder and the first map from the collected events. Offer
// adds none meanwhile.
func (l *Learner) first(ctx context.Context) error {
	begin := time.Now()
	l.mu.Lock()
	need := l.need
	positions := maps.Clone(l.next)
	l.mu.Unlock()
	if err := l.cold.check(need); err != nil {
		return err
	}
	encoder, err := l.cold.encoder()
	if err != nil {
		return fmt.Errorf("learning how to encode events: %w", err)
	}
	if _, err := l.set.Spec.Resolve(encoder.Dim()); err != nil {
		return err
	}
	ref := newReference(l.set.Policy, l.set.Size, encoder.Dim(), l.set.Seed)
	for _, t := range l.cold.tables {
		// What does not fit the prevalent shape becomes a dead letter when it
		// is to be placed.
		if b, err := encode(encoder, t, l.set.Limits); err == nil {
			ref.add(b.X)
		}
	}
	s, _, err := kinds.Fit(ctx, ref.matrix(), l.set.Spec, nil)
	if models.IsBadInput(err) {
		return &notEnough{fmt.Errorf("%d events do not make a map yet, waiting for more: %w", ref.len(), err)}
	}
	if err != nil {
		return fmt.Errorf("learning the first map: %w", err)
	}
	if s.Encoder, err = json.Marshal(encoder); err != nil {
		return fmt.Errorf("storing the encoder: %w", err)
	}
	s.Names, s.Positions = encoder.Names(), toSnapshot(positions)
	p, err := l.open(s, encoder)
	if err != nil {
		return err
	}
	// On the disk first: a version that somebody has seen must not come again
	// with another content after a crash.
	if err := l.save(s, ref, positions); err != nil {
		return err
	}
	l.mu.Lock()
	l.encoder, l.ref, l.cold, l.fresh = encoder, ref, cold{}, 0
	l.mu.Unlock()
	l.publish(p, time.Since(begin))
	return nil
}

// refreshes learns new maps until the context is done.
func (l *Learner) refreshes(ctx context.Context) {
	tick := time.NewTicker(l.set.RefreshEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		l.mu.Lock()
		due := l.fresh > 0 && float64(l.fresh) >= l.set.RefreshNew*float64(l.ref.len())
		l.mu.Unlock()
		if !due {
			continue
		}
		if err := l.refresh(ctx); err != nil && ctx.Err() == nil {
			l.failed(err)
		}
	}
}

// refresh learns a new map from the reference set as it is now and publishes
// it: a new version, and, because it is learnt from nothing, a new epoch; but
// turned and moved so that it lies on the old one as well as it can.
func (l *Learner) refresh(ctx context.Context) (err error) {
	begin := time.Now()
	l.mu.Lock()
	old := l.current.Load()
	ref := &reference{policy: l.ref.policy, size: l.ref.size, dim: l.ref.dim, seen: l.ref.seen, data: slices.Clone(l.ref.data)}
	positions, fresh := maps.Clone(l.next), l.fresh
	l.fresh = 0
	encoder := l.encoder
	l.mu.Unlock()
	defer func() {
		if err != nil {
			l.mu.Lock()
			l.fresh += fresh
			l.mu.Unlock()
		}
	}()
	spec := l.set.Spec
	if spec.LVM.Threads == 0 {
		// Leave a processor to placing.
		spec.LVM.Threads = max(1, runtime.GOMAXPROCS(0)-1)
	}
	x := ref.matrix()
	s, result, err := kinds.Fit(ctx, x, spec, nil)
	if err != nil {
		return fmt.Errorf("refreshing the map: %w", err)
	}
	s.Version, s.Epoch = old.Version+1, old.Epoch+1
	s.Encoder, s.Names, s.Positions = old.snapshot.Encoder, encoder.Names(), toSnapshot(positions)
	if err := layOn(ctx, old, s, x, result.Row); err != nil {
		return fmt.Errorf("refreshing the map: %w", err)
	}
	p, err := l.open(s, encoder)
	if err != nil {
		return err
	}
	if err := l.save(s, ref, positions); err != nil {
		return err
	}
	l.publish(p, time.Since(begin))
	return nil
}

// shared bounds the events by which two maps are compared.
const shared = 2000

// layOn aligns s with the old map, by events of the new reference set: their new
// places against where the old map places them (which, for those that it was
// learnt from, is where they lay).
func layOn(ctx context.Context, old *published, s *snapshot.Snapshot, x vec.Matrix[float32], row []int32) error {
	if s.Mu.Cols != old.snapshot.Mu.Cols || x.Cols != old.snapshot.Dim {
		return nil
	}
	n := min(x.Rows, shared)
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i * x.Rows / n)
	}
	before, err := old.placing.placer.Place(ctx, vec.Take(x, rows))
	if err != nil {
		return err
	}
	from := vec.New[float64](n, s.Mu.Cols)
	for i, r := range rows {
		copy(from.Row(i), s.Mu.Row(int(row[r])))
	}
	align(s.Mu, from, vec.Convert[float64](before.Mu))
	return nil
}

// toSnapshot lists positions in a fixed order.
func toSnapshot(positions map[stream.TopicPartition]int64) []snapshot.Position {
	out := make([]snapshot.Position, 0, len(positions))
	for tp, offset := range positions {
		out = append(out, snapshot.Position{Topic: tp.Topic, Partition: int32(tp.Partition), Offset: offset})
	}
	slices.SortFunc(out, func(a, b snapshot.Position) int {
		if a.Topic != b.Topic {
			if a.Topic < b.Topic {
				return -1
			}
			return 1
		}
		return int(a.Partition - b.Partition)
	})
	return out
}
