package learn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"unfold/models/fit"
	"unfold/stream"
)

// refresher learns maps of accepted events and passes them to the publisher. It belongs to the
// goroutine of Run.
type refresher struct {
	set Settings
	in  *intake
	out *publisher

	// follow is the live map; nil if it has yet to be restored from the current map. draft is a map
	// that was learnt but could not be published.
	follow *fit.Followed
	draft  *draft
	// changed is true if follow contains changes that are in no map yet. waited counts the times
	// that too few changes delayed a refresh.
	changed bool
	waited  int
	// unmet is true if the map to go on from lacks the clusters that the settings ask for. The next
	// map then comes at once, also without new events.
	unmet bool
}

// Run implements stream.Learner. It learns the first map, updates it, and saves the reference set
// at the end.
func (r *refresher) Run(ctx context.Context) error {
	if r.out.Current() == nil {
		if err := r.start(ctx); err != nil || r.out.Current() == nil {
			return err
		}
	}
	err := r.out.emit(ctx) // a crash may have left these
	if err == nil && r.set.RefreshEvery != Never {
		err = r.refreshes(ctx)
	}
	if err == nil {
		<-ctx.Done()
	}
	if err := r.saveReference(); err != nil {
		r.set.failed(err)
	}
	return err
}

// saveReference saves the present reference set with the present map, unless a map that belongs to
// it could not be published.
func (r *refresher) saveReference() error {
	if r.draft != nil {
		return nil
	}
	return r.out.saveChanged()
}

// start waits for enough events and learns the first map. If they do not suffice (event streams are
// full of duplicates), it waits for half as many more, until the reference set is full.
func (r *refresher) start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.in.enough:
		}
		err := r.first(ctx)
		if ctx.Err() != nil {
			return nil
		}
		full := r.in.tried(err == nil)
		if err == nil {
			return nil
		}
		var few *notEnough
		if !errors.As(err, &few) || full {
			return err
		}
		r.set.failed(err)
	}
}

// refreshes learns new maps until ctx ends. An error that it returns is final.
func (r *refresher) refreshes(ctx context.Context) error {
	tick := time.NewTicker(r.set.RefreshEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := r.out.emitPending(ctx); err != nil {
			return err
		}
		if !r.due() {
			continue
		}
		err := r.refresh(ctx)
		var refused *stream.RefusedError
		if errors.As(err, &refused) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			r.set.failed(err)
		}
	}
}

// due reports whether enough has changed for a refresh, or a map waits to be published.
func (r *refresher) due() bool {
	if r.draft != nil || r.changed || r.unmet {
		return true
	}
	ref := r.in.lock()
	fresh, n := ref.Fresh(), ref.Len()
	r.in.unlock()
	switch {
	case fresh == 0:
		r.waited = 0
		return false
	case float64(fresh) >= r.set.RefreshNew*float64(n), r.waited >= patience:
		return true
	}
	r.waited++
	return false
}

// refresh learns the map of the present reference set and publishes it, or publishes a map that
// could not be published before.
func (r *refresher) refresh(ctx context.Context) error {
	r.unmet = false
	if r.draft == nil {
		d, err := r.learn(ctx)
		if err != nil {
			return fmt.Errorf("refreshing the map: %w", err)
		}
		d.stayed = r.in.lock().Stayed(d.rowOf, d.snapshot.Reference.Rows)
		r.in.unlock()
		r.draft = d
	}
	if err := r.out.publish(ctx, r.draft); err != nil {
		return err
	}
	r.draft, r.changed, r.waited = nil, false, 0
	return r.out.emit(ctx)
}

// learn updates the map if possible, and otherwise learns it from scratch.
func (r *refresher) learn(ctx context.Context) (*draft, error) {
	r.evict()
	if r.set.carries() && r.resume(ctx) {
		return r.update(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.refit(ctx)
}
