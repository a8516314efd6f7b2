package learn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"unfold/internal/offsets"
	"unfold/stream"
)

// refreshes learns new maps until the context is done. Its error is final.
func (l *Learner) refreshes(ctx context.Context) error {
	tick := time.NewTicker(l.set.RefreshEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if l.untold {
			if err := l.tell(ctx); err != nil {
				return err
			}
		}
		if !l.due() {
			continue
		}
		err := l.refresh(ctx)
		var refused *stream.RefusedError
		if errors.As(err, &refused) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			l.failed(err)
		}
	}
}

// due says whether there is something to learn, or to publish, that is worth it.
func (l *Learner) due() bool {
	if l.draft != nil || l.changed {
		return true
	}
	l.mu.Lock()
	fresh, n := l.ref.Fresh(), l.ref.Len()
	l.mu.Unlock()
	switch {
	case fresh == 0:
		l.waited = 0
		return false
	case float64(fresh) >= l.set.RefreshNew*float64(n), l.waited >= patience:
		return true
	}
	l.waited++
	return false
}

// refresh learns the map as the reference set is now and publishes it; or publishes
// what was learnt before and could not be.
func (l *Learner) refresh(ctx context.Context) error {
	if l.draft == nil {
		d, err := l.learn(ctx)
		if err != nil {
			return fmt.Errorf("refreshing the map: %w", err)
		}
		l.draft = d
	}
	if err := l.release(ctx, l.draft); err != nil {
		return err
	}
	l.waited = 0
	return l.tell(ctx)
}

// learn carries the map on if that goes, else learns it from nothing.
func (l *Learner) learn(ctx context.Context) (*draft, error) {
	l.thin()
	if l.set.carries() && l.resume(ctx) {
		return l.carry(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.anew(ctx)
}

// seen returns the offsets behind what the reference set has taken. The lock is held.
func (l *Learner) seen() []stream.Position { return offsets.Sorted(l.next) }
