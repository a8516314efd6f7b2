package fit

import (
	"context"
	"fmt"
	"strings"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/hybrid"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// Supervised reports whether labels take part in learning.
func (s Spec) Supervised() bool { return s.LVM.Student.Supervision > 0 || s.PredictsClasses() }

// PredictsClasses reports whether the model predicts classes by itself.
func (s Spec) PredictsClasses() bool { return s.Kind == GPLVM && s.GPLVM.Supervision > 0 }

// hybrid returns the settings of a joint fit of vectors and labels, in the form of package hybrid.
func (s Spec) hybrid() hybrid.Settings {
	return hybrid.Settings{Common: s.Common, Points: s.GPLVM.Points, Inducing: s.GPLVM.Active}
}

// checkHybrid returns a *models.SettingError of a setting that makes no sense, or does not go with
// supervision of kind gplvm.
func (s Spec) checkHybrid() error {
	o := s.GPLVM
	for _, with := range []struct {
		name  string
		given bool
	}{
		{"kernel", o.Kernel != "" && o.Kernel != "rbf+bias+white"}, {"restarts", o.Restarts > 1}, {"start", o.Start != "" && o.Start != gplvm.StartPCA},
		{"optimizer", o.Optimizer != "" && o.Optimizer != "scg"}, {"noise", o.Noise == gplvm.NoiseProbit}, {"jumps", o.Jumps > 0}, {"smooth", o.Smooth},
	} {
		if with.given {
			return &models.SettingError{Name: with.name, Problem: "it does not go with supervision of kind gplvm, which learns by inducing inputs from principal components; leave one of them out"}
		}
	}
	if err := models.Require(o.Supervision > 0 && o.Supervision <= 1, "supervision", "%v is not in 0 to 1", o.Supervision); err != nil {
		return err
	}
	_, err := s.hybrid().Resolved()
	return err
}

// Hybrid is the report of a fit of vectors and labels together.
type Hybrid struct {
	// Learnt is the number of learnt points, Labelled the number of points with a label, Classes
	// the number of classes.
	Learnt   int `json:"learnt"`
	Labelled int `json:"labelled"`
	Classes  int `json:"classes"`
	// Inducing is the number of inducing inputs.
	Inducing int `json:"inducing"`
	// Bound is L_H after every round: of the vectors alone in the first half, then of both.
	Bound []float64 `json:"bound"`
	// Negative counts visits of sites that were left out to stay stable.
	Negative int `json:"negative,omitempty"`
	// Filled is the number of missing values that were filled in.
	Filled int `json:"filled,omitempty"`
}

func learnHybrid(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
	labels, err := labelsOfDistinct(z, s.Labels)
	if err != nil {
		return nil, err
	}
	filled := missingValues(z)
	learnt, err := learnSample(ctx, z, s, progress, placing.CheckObserved, func(z vec.Matrix[float32], step func(done, total int)) (*sample, error) {
		set := s.hybrid()
		set.Labels = labels
		fit, err := hybrid.Fit(ctx, z, set, step)
		if err != nil {
			return nil, err
		}
		own := Hybrid{Learnt: len(fit.Learnt), Labelled: fit.Labelled, Classes: len(fit.Names), Inducing: fit.Observed.Z.Rows, Bound: fit.Bound, Negative: fit.Negative, Filled: filled}
		s.Common, s.LVM = fit.Settings.Common, lvm.Options{}
		s.Labels = nil
		s.GPLVM.Points, s.GPLVM.Active = fit.Settings.Points, own.Inducing
		if s.Neighbors == 0 {
			s.Neighbors = processNeighbors
		}
		s.Neighbors = min(s.Neighbors, z.Rows-1)
		return &sample{
			model: fit, rows: fit.Learnt, points: fit.Settings.Points, spec: s, own: own,
			report: models.Report{Components: 1, Iterations: fit.Gradients, LoglikInitial: fit.Bound[0], Loglik: fit.Bound[len(fit.Bound)-1]},
		}, nil
	})
	if err != nil {
		return nil, err
	}
	learnt.Labels = labels // the snapshot stores them for a later fit
	return learnt, nil
}

// labelsOfDistinct returns the labels of the distinct rows of z: of equal rows the first label.
func labelsOfDistinct(z vec.Matrix[float32], labels []string) ([]string, error) {
	if len(labels) != z.Rows {
		return nil, models.BadInputf("gplvm: there are %d labels for %d rows", len(labels), z.Rows)
	}
	unique, of, _ := collapse(z)
	out := make([]string, len(unique))
	for i, u := range of {
		if out[u] == "" {
			out[u] = labels[i]
		}
	}
	return out, nil
}

// describeHybrid describes such a model.
func describeHybrid(s *snapshot.Snapshot) []Line {
	d := hybrid.Describe(s)
	var relevance []string
	for _, v := range d.Relevance {
		relevance = append(relevance, fmt.Sprintf("%.4g", v))
	}
	lines := []Line{
		{"learnt", fmt.Sprintf("%d of the reference points, %d of them with a label", d.Learnt, d.Labelled)},
		{"latent space", fmt.Sprintf("one of vectors and labels, by %d inducing inputs; relevance of its dimensions %s", d.Inducing, strings.Join(relevance, ", "))},
		{"noise", fmt.Sprintf("%.3g of the standard deviation of the values", d.Noise)},
		{"bound", fmt.Sprintf("%.8g, of vectors and labels (L_H)", d.Bound)},
	}
	if d.Missing > 0 {
		lines = append(lines, Line{"missing", fmt.Sprintf("%d values of those that are learnt, filled in", d.Missing)})
	}
	return lines
}
