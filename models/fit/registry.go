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

// Kind is a model as the rest of the program knows it. A new kind is one entry of
// registry, or of With, and nothing else: its settings come with it (Settings), its
// numbers go into Snapshot.Parts.
type Kind struct {
	// Name is what --kind and Snapshot.Kind say.
	Name string
	// About says in a phrase what it is, as part of a sentence about all kinds, with
	// what parts it from the kinds before.
	About string
	// Settings makes settings that only some kinds have, zero; nil if there are none.
	Settings func() Settings
	// Ranges says that dims and neighbors may be ranges, of which the kind takes the best.
	Ranges bool
	// Carried says that package models/live can carry its maps on. The learner of
	// a stream learns maps of other kinds from nothing.
	Carried bool
	// Missing says that values may be missing, NaN: what learns fills them in, and events
	// are placed by what is there of them.
	Missing bool
	// Likely says that new rows have a likelihood (models.Likely).
	Likely bool
	// Distances says that rows may have another distance than the Euclidean one.
	Distances bool
	// Given says that neighbours may be given (models.Common).
	Given bool
	// Graphs says that the nodes of a graph may take the place of rows (Graph).
	Graphs bool

	// Varied says that what learns takes every column for data with noise: columns that
	// do not vary are left out, see Result.Constant.
	Varied bool

	// Check says what is wrong with settings, whatever the data are.
	Check func(s Spec) error
	// Learn learns from the vectors that the model sees, after PCA. The spec is
	// resolved, and Lists says how many neighbours novelty wants.
	Learn func(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error)
	// Open prepares placing.
	Open func(s *snapshot.Snapshot, o placing.Options) (models.Placer, error)
	// Memory returns about the bytes that learning holds beside vectors and lists, of n
	// points of q values. Nil: package budget knows.
	Memory func(s Spec, n, q int) int64
	// Seconds returns about how long that takes if it takes all its steps, on this
	// machine, from a trial of some tenths of a second. Nil: nobody knows, but for the
	// first kind package budget.
	Seconds func(ctx context.Context, s Spec, n, q int) (float64, error)
	// Describe says what only this kind has to say of a snapshot that it can open; nil
	// if that is all known elsewhere.
	Describe func(s *snapshot.Snapshot) []Line
}

// Line is something to know of a snapshot, for people.
type Line struct{ Name, Value string }

// Learnt is what learning gives.
type Learnt struct {
	*models.Result
	// Describe sets what else a snapshot keeps; nil if that is all in parts.
	Describe func(s *snapshot.Snapshot)
	// Parts are what only this kind of model needs to place; Own is what only this
	// kind has to report.
	Parts []snapshot.Part
	Own   any
	// Sampled is how many points were learnt where points bounds their number; 0: it does not.
	Sampled int
	// Spec is that of the fit with the kind's defaults filled in.
	Spec Spec
}

// snapshot is the map of the points x, without Version, Epoch and Index, and the points'
// own novelty.
func (l *Learnt) snapshot(x vec.Matrix[float32]) (*snapshot.Snapshot, novelty.Scores, error) {
	s, own, err := points.Snapshot(l.Result, l.Spec.Kind, x, l.Spec.Common, l.Spec.NoveltyK)
	if err == nil && l.Describe != nil {
		l.Describe(s)
	}
	return s, own, err
}

// Check says what is wrong with a spec whatever the data are: an error of the
// kind's, which for settings of kind LVM is a *models.SettingError.
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

// Warnings are what to know of the settings on a map of n points, a sentence each.
func (s Spec) Warnings(n int) []string {
	if k, err := s.Kinds.Find(s.Kind); err != nil || k.Name != LVM {
		return nil
	}
	return s.Latent().Outline(n).Warnings
}

// Memory returns about the bytes that learning holds beside vectors and lists of
// neighbours, of n points of q values; ok is false for a kind that package budget
// knows by itself.
func (s Spec) Memory(n, q int) (bytes int64, ok bool) {
	k, err := s.Kinds.Find(s.Kind)
	if err != nil || k.Memory == nil {
		return 0, false
	}
	return k.Memory(s, n, q), true
}

// Timed reports whether Seconds knows the kind.
func (s Spec) Timed() bool {
	k, err := s.Kinds.Find(s.Kind)
	return err == nil && k.Seconds != nil
}

// Seconds returns about how long learning takes on this machine, of n points of q values,
// if it takes all its steps. The kind has to be Timed.
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

// openLatent prepares placing by the settings that a map was learnt by. Maps of before edges
// had ranks name no decay, and their events are placed with equal weights.
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
