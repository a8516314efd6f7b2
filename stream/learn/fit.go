package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream"
)

// notEnough is the error of collected events from which no map can be learnt, although more might
// suffice.
type notEnough struct{ err error }

func (e *notEnough) Error() string { return e.err.Error() }
func (e *notEnough) Unwrap() error { return e.err }

// fitted is a map that was learnt from scratch.
type fitted struct {
	snapshot *snapshot.Snapshot
	// row is the row of the map of each vector. follow is the live map if the map can be updated,
	// with row r in slot r.
	row    []int32
	follow *fit.Followed
}

// fit learns a map of vectors from scratch, with their labels if supervision is on.
func (r *refresher) fit(ctx context.Context, x vec.Matrix[float32], labels []string) (*fitted, error) {
	spec := r.set.spec()
	spec.Labels = labels
	if !r.set.carries() {
		s, result, err := fit.Fit(ctx, x, spec, nil)
		if err != nil {
			return nil, err
		}
		return &fitted{snapshot: s, row: result.Row}, nil
	}
	follow, result, err := fit.Follow(ctx, x, spec, r.set.live(), nil)
	if err != nil {
		return nil, err
	}
	s, err := follow.Snapshot()
	return &fitted{s, result.Row, follow}, err
}

// spec returns the fit of a map. It leaves one processor to placing, unless the settings give a
// number.
func (s Settings) spec() fit.Spec {
	spec := s.Spec
	if spec.Threads <= 0 {
		spec.Threads = max(1, runtime.GOMAXPROCS(0)-1)
	}
	return spec
}

// first learns the encoder and the first map from the collected events. Offer adds none meanwhile.
func (r *refresher) first(ctx context.Context) error {
	begin := time.Now()
	cold, need, positions := r.in.collected()
	if err := cold.check(need); err != nil {
		return err
	}
	encoder, left, err := cold.encoder()
	if err != nil {
		return fmt.Errorf("learning how to encode events: %w", err)
	}
	if _, err := r.set.Spec.Resolve(encoder.Dim()); err != nil {
		return err
	}
	r.set.sized(encoder.Dim(), 0)
	ref, err := r.in.fill(encoder)
	if err != nil {
		return err
	}
	changes := ref.Changes()
	f, err := r.fit(ctx, changes.X, r.in.labelsOf(ref, changes))
	if models.IsBadInput(err) {
		return &notEnough{fmt.Errorf("%d events are not enough for a map, waiting for more: %w", ref.Counts().Events, err)}
	}
	if err != nil {
		return fmt.Errorf("learning the first map: %w", err)
	}
	if r.set.Hooks.Encoded != nil {
		var dominant *ingest.Dominant
		if d, ok := ingest.FindDominant(changes.X, encoder.Names()); ok {
			dominant = &d
		}
		r.set.Hooks.Encoded(left, dominant)
	}
	s := f.snapshot
	if s.Encoder, err = json.Marshal(encoder); err != nil {
		return fmt.Errorf("storing the encoder: %w", err)
	}
	s.Names, s.Positions = encoder.Names(), positions
	ref.Took(changes, f.row)
	for i, row := range f.row {
		if p, there := ref.Point(changes, i); there && r.set.Moves != nil {
			setNote(r.set.published(ref.Note(p)), s.Mu.Row(int(row))) // the place where the waiting events will be published
		}
	}
	was := r.in.replace(ref)
	d := &draft{
		snapshot: s, rowOf: upTo(s.Reference.Rows), encoder: encoder, begin: begin,
		stats: stream.Stats{Kind: "first", Points: s.Reference.Rows, Born: s.Reference.Rows, Diameter: live.Diameter(s.Mu)},
	}
	if err := r.out.publish(ctx, d); err != nil {
		r.in.replace(was)
		return err
	}
	r.follow = f.follow
	return nil
}

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
