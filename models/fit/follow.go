package fit

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/live"
	"unfold/models/projection"
	"unfold/models/snapshot"
)

// Followed is a live map (package live) of unprojected vectors. Points can be added and removed. It
// is not safe for concurrent use, but its snapshots are.
type Followed struct {
	*live.Map
	spec    Spec
	project *projection.Projection
}

// Follow learns a map of the rows of x like Fit and returns it as a live map. The kind must be
// Carried. Result.Row are the slots of the rows. LVM and NoveltyK of set are ignored in favour of
// the spec.
func Follow(ctx context.Context, x vec.Matrix[float32], spec Spec, set live.Settings, progress models.Progress) (*Followed, *Result, error) {
	p, err := prepareFull(ctx, x, spec, progress)
	if err != nil {
		return nil, nil, err
	}
	if set, err = p.spec.follow(set); err != nil {
		return nil, nil, err
	}
	wanted := p.spec
	p.follow = &set
	s, err := p.runFull(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	wanted.Labels, set.LVM.Labels = nil, nil // the snapshot has them
	f, err := resume(ctx, s, live.State{MajorPoints: s.Reference.Rows}, wanted, set)
	if err != nil {
		return nil, nil, err
	}
	return f, p.out, nil
}

// Resume continues the map of a snapshot and its state with settings as for Follow. It returns an
// error if they specify another kind of map than the snapshot contains.
func Resume(ctx context.Context, s *snapshot.Snapshot, state live.State, spec Spec, set live.Settings) (*Followed, error) {
	auto := spec.PCA == PCAAuto
	spec, err := spec.Resolve(s.Dim)
	if err != nil {
		return nil, err
	}
	if auto && s.Components.Rows > 0 {
		spec.PCA = s.Components.Rows
	}
	if s.Kind != spec.Kind {
		return nil, models.BadInputf("a map of kind %s cannot go on as one of kind %s", s.Kind, spec.Kind)
	}
	if set, err = spec.follow(set); err != nil {
		return nil, err
	}
	return resume(ctx, s, state, spec, set)
}

func resume(ctx context.Context, s *snapshot.Snapshot, state live.State, spec Spec, set live.Settings) (*Followed, error) {
	if s.Graph != nil {
		return nil, models.BadInputf("the map of a graph cannot go on: learn one of the whole graph")
	}
	project, bare := projection.Of(s), *s
	projection.None(s.Reference.Cols).Store(&bare)
	bare.Names = nil
	m, err := live.Restore(ctx, &bare, state, set)
	if err != nil {
		return nil, err
	}
	return &Followed{Map: m, spec: spec, project: project}, nil
}

// follow returns the settings of a live map.
func (s Spec) follow(set live.Settings) (live.Settings, error) {
	k, err := s.Kinds.Find(s.Kind)
	if err != nil {
		return set, err
	}
	if !k.Carried {
		return set, fmt.Errorf("kind %s: its maps do not follow their points", k.Name)
	}
	set.LVM, set.NoveltyK = s.Latent(), s.NoveltyK
	return set, nil
}

// Change removes the points in the slots gone and adds points with the vectors x. It returns the
// slots of the new points. They start at the places start or, if start has no rows, where the map
// places them. See live.Map.Change.
func (f *Followed) Change(ctx context.Context, gone []int32, x vec.Matrix[float32], start vec.Matrix[float64]) ([]int32, error) {
	return f.Map.Change(ctx, gone, f.project.Apply(x, f.spec.Threads), start)
}

// Snapshot returns the map of the last refresh, or of the fit if there was none, in the form of
// Fit's snapshot. It is read-only.
func (f *Followed) Snapshot() (*snapshot.Snapshot, error) {
	s, spec := *f.Map.Snapshot(), f.spec
	f.project.Store(&s)
	s.Encoder, s.Shift, s.Learning, s.Names, s.IDs, s.Positions = nil, nil, nil, nil, nil, nil
	spec.Dims, spec.Neighbors = s.Mu.Cols, s.Neighbors
	if spec.Steps == 0 {
		spec.Steps = s.Steps // the steps of all refreshes
	}
	var err error
	s.Settings, err = spec.stored()
	return &s, err
}
