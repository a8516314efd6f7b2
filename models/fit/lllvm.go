package fit

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/lllvm"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// LLLVM is the locally linear latent variable model, package lllvm.
const LLLVM = "lllvm"

// locallyLinear is the registry entry of kind LLLVM. The distinct rows are the reference points. It
// learns a bounded number of them and places the others, which are marked as unlearnt.
var locallyLinear = Kind{
	Name: LLLVM, Varied: true, Ranges: true,
	About:    "; lllvm is the locally linear one of Park et al. (2015)",
	Settings: func() Settings { return new(linearSettings) },
	Check:    func(s Spec) error { _, err := s.locallyLinear().Resolved(); return err },
	Learn:    learnLocallyLinear,
	Open: func(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
		if o.Rule != placing.RuleAuto || o.Received != 0 {
			return nil, &models.SettingError{Name: "place", Problem: fmt.Sprintf("%v goes with maps of kind %s; this one is of kind %s, whose own way is auto", o.Rule, LVM, LLLVM)}
		}
		return lllvm.NewPlacer(s, o)
	},
	Memory: func(s Spec, n, q int) int64 {
		f, err := s.locallyLinear().Resolved()
		if err != nil {
			return 0
		}
		return f.Bytes(n, q)
	},
	Seconds: func(ctx context.Context, s Spec, n, q int) (float64, error) {
		f, err := s.locallyLinear().Resolved()
		if err != nil {
			return 0, err
		}
		return f.Seconds(ctx, n, q)
	},
	Describe: func(s *snapshot.Snapshot) []Line {
		d := lllvm.Describe(s)
		return []Line{
			{"learnt", fmt.Sprintf("%d of the reference points", d.Learnt)},
			{"neighbours", fmt.Sprintf("%d to learn by, %d for novelty", s.Neighbors, s.NoveltyK)},
			{"noise", fmt.Sprintf("standard deviation %.4g of an element", d.Noise)},
			{"bound", fmt.Sprintf("%.8g (gamma %.4g, alpha %.4g, epsilon %.4g)", d.Bound, d.Gamma, d.Alpha, d.Epsilon)},
		}
	},
}

// locallyLinear converts the settings of a fit to those of package lllvm.
func (s Spec) locallyLinear() lllvm.FitSettings {
	return lllvm.FitSettings{Common: s.Common, Options: s.LLLVM}
}

// LocallyLinear is the report of a fit of kind LLLVM.
type LocallyLinear struct {
	// Learnt is the number of points that were learnt.
	Learnt int `json:"learnt"`
	// Gamma and Alpha are the precisions of the noise, in the model's units, and of the prior.
	// Noise is the standard deviation of an element in the data's units.
	Gamma float64 `json:"gamma"`
	Alpha float64 `json:"alpha"`
	Noise float64 `json:"noise"`
	// Patches is the number of patches, 1 for the exact model. PatchPoints is the size of the
	// largest.
	Patches     int `json:"patches"`
	PatchPoints int `json:"patch_points"`
	// Bounds are the bounds after every iteration of the start that was kept. Best is its index in
	// Runs.
	Bounds []float64   `json:"bounds"`
	Best   int         `json:"best"`
	Runs   []lllvm.Run `json:"runs"`
}

func learnLocallyLinear(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
	return learnSample(ctx, z, s, progress, models.CheckRows[float32], func(z vec.Matrix[float32], step func(done, total int)) (*sample, error) {
		fit, err := lllvm.Fit(ctx, z, s.locallyLinear(), step)
		if err != nil {
			return nil, err
		}
		set, best := fit.Settings, fit.Runs[fit.Best]
		patches, points := fit.Model.Patches()
		// Settings that this kind does not have keep their defaults.
		s.Common, s.LLLVM, s.LVM = set.Common, set.Options, lvm.Options{}
		s.LLLVM.MaxDims = 0 // the range is resolved to one number
		return &sample{
			model: fit, rows: fit.Learnt, points: set.Points, spec: s,
			own: LocallyLinear{
				Learnt: len(fit.Learnt), Gamma: fit.State.Gamma, Alpha: fit.State.Alpha, Noise: fit.Noise(),
				Patches: patches, PatchPoints: points, Bounds: fit.History.Bounds, Best: fit.Best, Runs: fit.Runs,
			},
			report: models.Report{
				Edges: fit.Model.Edges(), Components: fit.Components, Iterations: best.Iterations, Converged: best.Converged,
				LoglikInitial: fit.History.Bounds[0], Loglik: best.Bound,
			},
		}, nil
	})
}
