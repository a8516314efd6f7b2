package fit

import (
	"context"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/novelty"
	"unfold/models/placing"
	"unfold/models/points"
	"unfold/models/snapshot"
)

// Kind is the interface of a model to the rest of the program. A new kind is one entry of registry,
// or of With, and nothing else. Its settings come with it (Settings), and its numbers are stored in
// Snapshot.Parts.
type Kind struct {
	// Name is the kind's name in --kind and in Snapshot.Kind.
	Name string
	// About is a phrase that describes the kind, with its separator from the kinds before. It is
	// part of a sentence about all kinds.
	About string
	// Settings returns zero settings of the kind's own type; nil if the kind has no settings of its
	// own.
	Settings func() Settings
	// Ranges allows ranges for dims and neighbors, from which the kind takes the best values.
	Ranges bool
	// Carried is true if package models/live can update maps of the kind. The learner of a stream
	// learns maps of other kinds from scratch.
	Carried bool
	// Missing is true if values may be missing (NaN). Learning fills them in, and events are placed
	// by their known values.
	Missing bool
	// Likely is true if new rows have a likelihood (models.Likely).
	Likely bool
	// Distances is true if other distances than the Euclidean one are supported.
	Distances bool
	// Given is true if the kind accepts given neighbours (models.Common).
	Given bool
	// Graphs is true if the kind can learn the nodes of a graph instead of rows (Graph).
	Graphs bool

	// Varied is true if the model treats every column as data with noise. Constant columns are then
	// left out: see Result.Constant.
	Varied bool

	// Check validates settings independently of the data.
	Check func(s Spec) error
	// Learn learns from the projected vectors. The spec is resolved, and Lists is the number of
	// neighbours that novelty needs.
	Learn func(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error)
	// Open prepares placing.
	Open func(s *snapshot.Snapshot, o placing.Options) (models.Placer, error)
	// Memory estimates the bytes that learning needs in addition to vectors and lists, for n points
	// of q values. If it is nil, package budget estimates them itself.
	Memory func(s Spec, n, q int) int64
	// Seconds estimates how long that takes on this machine if all steps are taken, from a trial of
	// some tenths of a second. If it is nil, there is no estimate, except that package budget has
	// one for the first kind.
	Seconds func(ctx context.Context, s Spec, n, q int) (float64, error)
	// Describe describes a snapshot that the kind can open; nil if there is nothing to add.
	Describe func(s *snapshot.Snapshot) []Line
}

// Line is one line of a description of a snapshot, for people.
type Line struct{ Name, Value string }

// Learnt is the result of learning.
type Learnt struct {
	*models.Result
	// Describe adds this kind's fields to a snapshot; nil if parts contain everything.
	Describe func(s *snapshot.Snapshot)
	// Parts are the data that only this kind of model needs to place. Own is the report that only
	// this kind has.
	Parts []snapshot.Part
	Own   any
	// Sampled is the number of points that were learnt if the setting points bounded it, else 0.
	Sampled int
	// Spec is the spec of the fit with the kind's defaults filled in.
	Spec Spec
}

// snapshot returns the map of the points x, without Version, Epoch and Index, and the points' own
// novelty.
func (l *Learnt) snapshot(x vec.Matrix[float32]) (*snapshot.Snapshot, novelty.Scores, error) {
	s, own, err := points.Snapshot(l.Result, l.Spec.Kind, x, l.Spec.Common, l.Spec.NoveltyK)
	if err == nil && l.Describe != nil {
		l.Describe(s)
	}
	return s, own, err
}

// Check validates a spec independently of the data. For settings of kind LVM, the error is a
// *models.SettingError.
func (s Spec) Check() error {
	k, err := s.Kinds.Find(s.Kind)
	if err != nil {
		return err
	}
	if err := s.checkDistance(k); err != nil {
		return err
	}
	return k.Check(s)
}

// Warnings returns the warnings about the settings on a map of n points, a sentence each.
func (s Spec) Warnings(n int) []string {
	if k, err := s.Kinds.Find(s.Kind); err != nil || k.Name != LVM {
		return nil
	}
	return s.Latent().Outline(n).Warnings
}

// Memory estimates the bytes that learning needs in addition to vectors and neighbour lists, for n
// points of q values. ok is false for a kind that package budget estimates itself.
func (s Spec) Memory(n, q int) (bytes int64, ok bool) {
	k, err := s.Kinds.Find(s.Kind)
	if err != nil || k.Memory == nil {
		return 0, false
	}
	return k.Memory(s, n, q), true
}

// Timed reports whether the kind supports Seconds.
func (s Spec) Timed() bool {
	k, err := s.Kinds.Find(s.Kind)
	return err == nil && k.Seconds != nil
}

// Seconds estimates how long learning n points of q values takes on this machine if all steps are
// taken. The kind must be Timed.
func (s Spec) Seconds(ctx context.Context, n, q int) (float64, error) {
	k, err := s.Kinds.Find(s.Kind)
	if err != nil {
		return 0, err
	}
	return k.Seconds(ctx, s, n, q)
}

// latentVariable is Saul's latent variable model.
var latentVariable = Kind{
	Name: LVM, Carried: true, Likely: true, Given: true, Distances: true, Graphs: true,
	About:    "lvm is the latent variable model of Saul (2020) and its extension to heavy tails",
	Settings: func() Settings { return new(latentSettings) },
	Check:    func(s Spec) error { return s.Latent().Check() },
	Learn: func(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
		fit, err := lvm.Fit(ctx, z, s.Latent(), progress)
		if err != nil {
			return nil, err
		}
		s.Common, s.LVM = fit.Settings.Common, fit.Settings.Options
		return &Learnt{Result: fit.Result, Describe: fit.Describe, Spec: s}, nil
	},
	Open: openLatent,
}

// openLatent prepares placing with the settings with which the map was learnt. Older maps, whose
// edges had no ranks, have no decay in their settings, and their events are placed with equal
// weights.
func openLatent(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
	if o.RankDecay == 0 && len(s.Settings) > 0 {
		spec, err := ParseSpec(s)
		if err != nil {
			return nil, err
		}
		o.RankDecay = spec.LVM.Student.RankDecay
	}
	return lvm.NewPlacer(s, o)
}
