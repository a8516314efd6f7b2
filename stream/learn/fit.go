package learn

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"time"

	"unfold/ingest"
	"unfold/internal/offsets"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/reference"
)

// notEnough says that the collected events do not make a map, and that more
// might.
type notEnough struct{ err error }

func (e *notEnough) Error() string { return e.err.Error() }
func (e *notEnough) Unwrap() error { return e.err }

// fitted is a map that was learnt from nothing.
type fitted struct {
	snapshot *snapshot.Snapshot
	// row is that of each vector. follow is the map to be carried on, if it will be,
	// with row r at slot r.
	row    []int32
	follow *fit.Followed
}

// fit learns a map of vectors from nothing.
func (l *Learner) fit(ctx context.Context, x vec.Matrix[float32]) (*fitted, error) {
	spec := l.set.spec()
	if !l.set.carries() {
		s, r, err := fit.Fit(ctx, x, spec, nil)
		if err != nil {
			return nil, err
		}
		return &fitted{snapshot: s, row: r.Row}, nil
	}
	follow, r, err := fit.Follow(ctx, x, spec, l.set.live(), nil)
	if err != nil {
		return nil, err
	}
	s, err := follow.Snapshot()
	return &fitted{s, r.Row, follow}, err
}

// spec is what to learn; it leaves a processor to placing, unless the settings say how
// many to use.
func (s Settings) spec() fit.Spec {
	spec := s.Spec
	if spec.LVM.Threads <= 0 {
		spec.LVM.Threads = max(1, runtime.GOMAXPROCS(0)-1)
	}
	return spec
}

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
	encoder, left, err := l.cold.encoder()
	if err != nil {
		return fmt.Errorf("learning how to encode events: %w", err)
	}
	if _, err := l.set.Spec.Resolve(encoder.Dim()); err != nil {
		return err
	}
	l.sized(encoder.Dim(), 0)
	ref, err := l.collect(encoder)
	if err != nil {
		return err
	}
	changes := ref.Changes()
	f, err := l.fit(ctx, changes.X)
	if models.IsBadInput(err) {
		return &notEnough{fmt.Errorf("%d events do not make a map yet, waiting for more: %w", ref.Counts().Events, err)}
	}
	if err != nil {
		return fmt.Errorf("learning the first map: %w", err)
	}
	if l.set.Hooks.Encoded != nil {
		var dominant *ingest.Dominant
		if d, ok := ingest.FindDominant(changes.X, encoder.Names()); ok {
			dominant = &d
		}
		l.set.Hooks.Encoded(left, dominant)
	}
	s := f.snapshot
	if s.Encoder, err = json.Marshal(encoder); err != nil {
		return fmt.Errorf("storing the encoder: %w", err)
	}
	s.Names, s.Positions = encoder.Names(), offsets.Sorted(positions)
	ref.Took(changes, f.row)
	for i, r := range f.row {
		if p, there := ref.Point(changes, i); there && l.set.Moves != nil {
			setNote(l.set.told(ref.Note(p)), s.Mu.Row(int(r))) // where the events that wait are published
		}
	}
	l.mu.Lock()
	was := l.ref
	l.ref = ref
	l.mu.Unlock()
	d := &draft{
		snapshot: s, rowOf: identity(s.Reference.Rows), encoder: encoder, begin: begin,
		figures: stream.Figures{Kind: "first", Points: s.Reference.Rows, Born: s.Reference.Rows, Diameter: live.Diameter(s.Mu)},
	}
	l.toldEpoch = s.Epoch
	if err := l.release(ctx, d); err != nil {
		l.mu.Lock()
		l.ref = was
		l.mu.Unlock()
		return err
	}
	l.follow = f.follow
	return nil
}

// sized tells how large maps will be.
func (l *Learner) sized(dim, points int) {
	if l.set.Hooks.Sized != nil {
		l.set.Hooks.Sized(dim, points)
	}
}

// collect makes the reference set of the events that came before the first map.
func (l *Learner) collect(encoder *ingest.Encoder) (*reference.Set, error) {
	ref, err := reference.New(l.set.reference(encoder.Selection().ID != ""), encoder.Dim(), l.set.notes())
	if err != nil {
		return nil, err
	}
	l.pool = nil
	for _, a := range l.cold.came {
		if a.table == nil {
			ref.Delete(a.gone)
			l.unlabel(a.gone)
			continue
		}
		// What does not fit the prevalent shape becomes a dead letter when it
		// is to be placed.
		if b, err := embed.Encode(encoder, a.table, l.set.Limits); err == nil {
			addTo(ref, b, a.at, l.votes.classes(b, l.set.Mapping.Label))
			l.label(b)
			if b.ID.Valid() {
				l.idType = b.ID.DataType()
			}
		}
	}
	return ref, nil
}

// identity is 0, 1, ...
func identity(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
