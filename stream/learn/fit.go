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
	"unfold/models/pca"
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
	follow *live.Map
}

// fit learns a map of vectors from nothing.
func (l *Learner) fit(ctx context.Context, x vec.Matrix[float32]) (*fitted, error) {
	spec, err := l.set.Spec.Resolve(x.Cols)
	if err != nil {
		return nil, err
	}
	if !l.set.carries() {
		spec.LVM.Threads = threads(spec)
		s, result, err := fit.Fit(ctx, x, spec, nil)
		if err != nil {
			return nil, err
		}
		return &fitted{snapshot: s, row: result.Row}, nil
	}
	frame, err := frameOf(ctx, x, spec)
	if err != nil {
		return nil, err
	}
	z := project(frame, x, threads(spec))
	if err := models.CheckRows(z, nil); err != nil {
		return nil, models.BadInputf("after projection onto principal components: %w; standardize the columns", err)
	}
	m, row, err := live.Fit(ctx, z, l.set.live(spec))
	if err != nil {
		return nil, err
	}
	s, err := l.dress(m.Snapshot(), frame, x.Cols)
	return &fitted{s, row, m}, err
}

// frameOf learns how vectors become rows of a map: the mean and the components of a
// snapshot, both empty without a projection.
func frameOf(ctx context.Context, x vec.Matrix[float32], spec fit.Spec) (*snapshot.Snapshot, error) {
	if spec.PCA == fit.PCANone {
		return &snapshot.Snapshot{}, nil
	}
	pca, err := pca.Fit(ctx, x, spec.PCA, pca.Settings{Threads: threads(spec), Seed: spec.LVM.Seed})
	if err != nil {
		return nil, err
	}
	return &snapshot.Snapshot{Mean: pca.Mean, Components: pca.Components}, nil
}

// threads leaves a processor to placing, unless the settings say how many to use.
func threads(spec fit.Spec) int {
	if spec.LVM.Threads > 0 {
		return spec.LVM.Threads
	}
	return max(1, runtime.GOMAXPROCS(0)-1)
}

// project turns vectors into rows of a map, as its mean and components say.
func project(frame *snapshot.Snapshot, x vec.Matrix[float32], threads int) vec.Matrix[float32] {
	if frame.Components.Rows == 0 {
		return x
	}
	return pca.NewProjector(frame.Mean, frame.Components).Apply(x, threads)
}

// dress completes the snapshot of a map that is carried on: how vectors of dim
// elements become rows, after frame, and what the map is learnt by.
func (l *Learner) dress(bare, frame *snapshot.Snapshot, dim int) (*snapshot.Snapshot, error) {
	spec, err := l.set.Spec.Resolve(dim)
	if err != nil {
		return nil, err
	}
	s := *bare
	s.Dim, s.Mean, s.Components = dim, frame.Mean, frame.Components
	s.Encoder, s.Names = frame.Encoder, frame.Names
	spec.LVM.Dims, spec.LVM.Neighbors = s.Mu.Cols, s.Neighbors
	if spec.LVM.Steps == 0 {
		spec.LVM.Steps = s.Steps // those of all its refreshes
	}
	spec.LVM.Threads = 0 // a matter of the machine, not of the map
	if s.Settings, err = json.Marshal(spec); err != nil {
		return nil, fmt.Errorf("storing the settings: %w", err)
	}
	return &s, nil
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
	l.follow, l.frame = f.follow, s
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
