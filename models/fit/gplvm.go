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

// GPLVM is the Gaussian process latent variable model, package gplvm.
const GPLVM = "gplvm"

// processNeighbors is the default number of neighbours within the bandwidth. The model itself has
// no neighbours.
const processNeighbors = 9

// gaussianProcess is the registry entry of kind GPLVM. The distinct rows are the reference points.
// It learns a bounded number of them and places the others, which are marked as unlearnt.
var gaussianProcess = Kind{
	Name: GPLVM, Missing: true, Likely: true, Varied: true,
	About:    ", gplvm the Gaussian process one of Lawrence (2005), both for some thousand points",
	Settings: func() Settings { return new(processSettings) },
	Check: func(s Spec) error {
		if err := s.checkBinary(); err != nil {
			return err
		}
		if s.GPLVM.Supervision != 0 {
			return s.checkHybrid()
		}
		_, err := s.gaussianProcess().Resolved()
		return err
	},
	Learn: func(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
		if s.GPLVM.Supervision > 0 {
			return learnHybrid(ctx, z, s, progress)
		}
		return learnGaussianProcess(ctx, z, s, progress)
	},
	Open: func(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
		if o.Rule != placing.RuleAuto || o.Received != 0 || o.Neighbors != 0 {
			return nil, &models.SettingError{Name: "place", Problem: fmt.Sprintf("%v goes with maps of kind %s; this one is of kind %s, whose own way is auto, without neighbours", o.Rule, LVM, GPLVM)}
		}
		if hybrid.Is(s) {
			return hybrid.NewPlacer(s, o)
		}
		return gplvm.NewPlacer(s, o)
	},
	Memory: func(s Spec, n, q int) int64 {
		f, err := s.gaussianProcess().Resolved()
		if err != nil {
			return 0
		}
		return gplvm.Bytes(min(n, f.Points), q, f)
	},
	Describe: func(s *snapshot.Snapshot) []Line {
		if hybrid.Is(s) {
			return describeHybrid(s)
		}
		d := gplvm.Describe(s)
		var theta []string
		for i, v := range d.Theta {
			theta = append(theta, fmt.Sprintf("%s %.4g", d.Names[i], v))
		}
		lines := []Line{
			{"learnt", fmt.Sprintf("%d of the reference points", d.Learnt)},
			{"kernel", fmt.Sprintf("%s: %s", d.Kernel, strings.Join(theta, ", "))},
			{"likelihood", fmt.Sprintf("%.8g, with the prior of the places", d.LogLik)},
		}
		if d.Noise != "" {
			lines[2].Value = fmt.Sprintf("%.8g, of the values of the active set, by assumed density filtering", d.LogLik)
			lines = append(lines, Line{"noise", d.Noise + ": columns are 0 and 1, decoded as the probability of 1"})
		}
		if d.Active > 0 {
			lines = append(lines, Line{"active set", fmt.Sprintf("%d of those, by which the others are placed", d.Active)})
		}
		if d.Missing > 0 {
			lines = append(lines, Line{"missing", fmt.Sprintf("%d values of those, filled in", d.Missing)})
		}
		if d.Smooth {
			lines = append(lines, Line{"placing", fmt.Sprintf("by a smooth map, with an error of %.3g at leaving one out", d.Residual)})
		}
		return lines
	},
}

// binary reports whether columns must contain only 0 and 1.
func (s Spec) binary() bool { return s.Kind == GPLVM && s.GPLVM.Noise == gplvm.NoiseProbit }

// checkBinary returns an error if columns of 0 and 1 would be projected.
func (s Spec) checkBinary() error {
	if s.binary() && s.PCA > 0 {
		return fmt.Errorf("noise %s is for columns of 0 and 1, not for their %d principal components: pca has to be none", gplvm.NoiseProbit, s.PCA)
	}
	return nil
}

// gaussianProcess converts the settings of a fit to those of package gplvm.
func (s Spec) gaussianProcess() gplvm.FitSettings {
	return gplvm.FitSettings{Common: s.Common, Options: s.GPLVM}
}

// GaussianProcess is the report of a fit of kind GPLVM.
type GaussianProcess struct {
	// Learnt is the number of points that were learnt.
	Learnt int `json:"learnt"`
	// Kernel is the name of the covariance, and Theta are its parameters.
	Kernel string    `json:"kernel"`
	Theta  []float64 `json:"theta"`
	// Best is the index in Runs of the start that was kept.
	Best int         `json:"best"`
	Runs []gplvm.Run `json:"runs"`
	// Residual is the leave-one-out error of the smooth map, if there is one.
	Residual float64 `json:"residual,omitempty"`
	// Active is the size of the active set, if there is one. Filled is the number of missing values
	// that were filled in.
	Active int `json:"active,omitempty"`
	Filled int `json:"filled,omitempty"`
	// Noise is the name of the noise model, if it is not Gaussian.
	Noise string `json:"noise,omitempty"`
}

// missingValues counts the missing values of z.
func missingValues(z vec.Matrix[float32]) (count int) {
	for _, v := range z.Data {
		if v != v {
			count++
		}
	}
	return count
}

func learnGaussianProcess(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
	filled := missingValues(z)
	return learnSample(ctx, z, s, progress, placing.CheckObserved, func(z vec.Matrix[float32], step func(done, total int)) (*sample, error) {
		fit, err := gplvm.Fit(ctx, z, s.gaussianProcess(), step)
		if err != nil {
			return nil, err
		}
		set, best := fit.Settings, fit.Runs[fit.Best]
		own := GaussianProcess{Learnt: len(fit.Learnt), Kernel: set.Kernel, Theta: fit.Point.Theta, Best: fit.Best, Runs: fit.Runs, Active: len(fit.Active), Filled: filled}
		if set.Noise == gplvm.NoiseProbit {
			own.Noise = set.Noise
		}
		if fit.Back != nil {
			own.Residual = fit.Back.Residual
		}
		// Settings that this kind does not have keep their defaults.
		s.Common, s.GPLVM, s.LVM = set.Common, set.Options, lvm.Options{}
		if s.Neighbors == 0 {
			s.Neighbors = processNeighbors
		}
		s.Neighbors = min(s.Neighbors, z.Rows-1)
		return &sample{
			model: fit, rows: fit.Learnt, points: set.Points, spec: s, own: own,
			report: models.Report{
				Components: 1, Iterations: best.Iterations, Converged: best.Converged,
				LoglikInitial: best.Initial, Loglik: best.LogLik,
			},
		}, nil
	})
}
