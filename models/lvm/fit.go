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

// Kind is the name of this kind of model in snapshots.
const Kind = points.Kind

// Result is a learnt map.
type Result struct {
	*models.Result
	// Student is the part of a snapshot that only maps with heavy tails have; nil with Gaussian
	// tails.
	Student *snapshot.Student
	// Settings are the settings of the fit with all defaults filled in.
	Settings Settings
}

// Fit learns a map of the rows of x (n x dim) with package student or saul, whose errors it
// returns. Progress may be nil.
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

// OfStudent converts a result with heavy tails to a Result.
func OfStudent(r *student.Result) *Result {
	return &Result{Result: r.Result, Student: r.Student, Settings: Settings{r.Settings.Common, Options{Tails: Student, Student: r.Settings.Options}}}
}

// OfSaul converts a result with Gaussian tails to a Result.
func OfSaul(r *saul.Result) *Result {
	return &Result{Result: r.Result, Settings: Settings{r.Settings.Common, Options{Tails: Gaussian, Saul: r.Settings.Options}}}
}

// Describe sets the fields of a snapshot that only this kind of model has.
func (r *Result) Describe(s *snapshot.Snapshot) {
	if s.Student = r.Student; s.Student == nil {
		s.Dissimilar = saul.DissimilarShare(r.Report.Level)
		s.Parts = append(s.Parts, bridgeParts(r.Report.Bridges, r.Of)...)
	}
}

// Snapshot returns the snapshot of the map (points.Snapshot) without Version, Epoch and Index.
func (r *Result) Snapshot(x vec.Matrix[float32], noveltyK int) (*snapshot.Snapshot, novelty.Scores, error) {
	s, own, err := points.Snapshot(r.Result, Kind, x, r.Settings.Common, noveltyK)
	if err == nil {
		r.Describe(s)
	}
	return s, own, err
}
