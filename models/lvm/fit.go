package lvm

import (
	"context"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/novelty"
	"unfold/models/points"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/models/student"
)

// Kind is the name of this kind of model, as snapshots have it.
const Kind = points.Kind

// Result is a learnt map.
type Result struct {
	*models.Result
	// Student is what else a map with heavy tails knows; nil with Gaussian tails.
	Student *snapshot.Student
	// Settings are those of the fit with all defaults filled in.
	Settings Settings
}

// Fit learns a map of the rows of x (n x dim), as package student or saul does, which
// have the errors. Progress may be nil.
func Fit(ctx context.Context, x vec.Matrix[float32], s Settings, progress models.Progress) (*Result, error) {
	if err := s.foreign(); err != nil {
		return nil, err
	}
	if s.Tails == Gaussian {
		r, err := saul.Fit(ctx, x, s.ForSaul(), progress)
		if err != nil {
			return nil, err
		}
		return OfSaul(r), nil
	}
	r, err := student.Fit(ctx, x, s.ForStudent(), progress)
	if err != nil {
		return nil, err
	}
	return OfStudent(r), nil
}

// OfStudent is a map with heavy tails as one of this package.
func OfStudent(r *student.Result) *Result {
	return &Result{Result: r.Result, Student: r.Student, Settings: Settings{r.Settings.Common, Options{Tails: Student, Student: r.Settings.Options}}}
}

// OfSaul is a map with Gaussian tails as one of this package.
func OfSaul(r *saul.Result) *Result {
	return &Result{Result: r.Result, Settings: Settings{r.Settings.Common, Options{Tails: Gaussian, Saul: r.Settings.Options}}}
}

// Describe sets what a snapshot keeps of a map beside its points.
func (r *Result) Describe(s *snapshot.Snapshot) {
	if s.Student = r.Student; s.Student == nil {
		s.Dissimilar = saul.DissimilarShare(r.Report.Level)
	}
}

// Snapshot is points.Snapshot of a map of this kind, whole but for Version, Epoch and Index.
func (r *Result) Snapshot(x vec.Matrix[float32], noveltyK int) (*snapshot.Snapshot, novelty.Scores, error) {
	s, own, err := points.Snapshot(r.Result, Kind, x, r.Settings.Common, noveltyK)
	if err == nil {
		r.Describe(s)
	}
	return s, own, err
}
