package labels

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/ep"
	"unfold/models/psi"
)

// Of the first kernel: its length as a share of the map's, its variance, and what it
// is learnt from.
const (
	lengthShare   = 0.25
	firstVariance = 4
	learnRows     = 400
	learnInducing = 30
	learnClasses  = 8
	mostVariance  = 1000 // beyond, probabilities are 0 and 1 anyway
	leastOthers   = 50   // from which the factor of the variances is chosen
	worth         = 0.1  // by how much log probabilities must be larger for a larger factor
)

// factors are those of the variances to choose from.
var factors = []float64{0, 0.25, 1}

// learnKernel moves the kernel to where the bound is higher, with several factors of the
// variances, and takes the factor, with its kernel, that foretells the classes of other
// events best: the bound itself always prefers inputs without variance.
func (h *model) learnKernel(ctx context.Context, again bool, set Settings, r *Report) error {
	n := min(h.In.Mu.Rows, learnRows)
	others := min(h.In.Mu.Rows-n, learnRows)
	if set.Certain || others < leastOthers {
		return h.climb(ctx, again, set, r)
	}
	if set.Once {
		if err := h.climb(ctx, again, set, r); err != nil {
			return err
		}
	}
	start, spread, most := h.Classes.Kernel, h.spread, math.Inf(-1)
	best := start
	for _, factor := range factors {
		h.Classes.Kernel = start.Clone()
		h.spreadBy(factor)
		if !set.Once {
			if err := h.climb(ctx, again, set, r); err != nil {
				return err
			}
		}
		v, err := h.foretell(n, n+others, set)
		var indefinite *spd.IndefiniteError
		if err != nil && !errors.As(err, &indefinite) {
			return err
		}
		if err == nil && v > most+worth {
			best, spread, most = h.Classes.Kernel, factor, v
		}
	}
	h.Classes.Kernel = best
	h.spreadBy(spread)
	return nil
}

// part is a classifier of the first events, for labels y.
func (h *model) part(y vec.Matrix[float64], set Settings) *ep.Hybrid {
	n := y.Rows
	mu := h.In.Mu.Slice(0, n)
	return &ep.Hybrid{Threads: set.Threads, In: psi.Inputs{Mu: mu, S: h.In.S.Slice(0, n).Clone()},
		Classes: &ep.Classes{Kernel: h.Classes.Kernel.Clone(), Z: centres(mu, min(n, learnInducing), set.Seed), Y: y}}
}

// climb moves the kernel by gradients of the bound of part of the events.
func (h *model) climb(ctx context.Context, again bool, set Settings, r *Report) error {
	small := h.part(frequent(h.Classes.Y.Slice(0, min(h.In.Mu.Rows, learnRows))), set)
	how := ep.LearnSettings{Rounds: 3, Steps: 5, Sweeps: 3, FixInputs: true, FixInducing: true, Tied: true}
	if again {
		how.Rounds, how.Steps = 1, 3
	}
	did, err := small.Learn(ctx, how)
	r.Gradients += did.Gradients
	var indefinite *spd.IndefiniteError
	if errors.As(err, &indefinite) {
		return nil // the kernel went too far: it stays what it was
	}
	if err != nil {
		return err
	}
	h.Classes.Kernel = small.Classes.Kernel
	h.Classes.Kernel.Variance = min(h.Classes.Kernel.Variance, mostVariance)
	return nil
}

// foretell returns the sum of the log probabilities of the classes of rows from, ... by
// the rows before.
func (h *model) foretell(from, to int, set Settings) (sum float64, err error) {
	small := h.part(h.Classes.Y.Slice(0, from), set)
	all, err := small.Sparse()
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		if _, err := s.Run(ep.Settings{Sweeps: 5, Tolerance: 1e-3}); err != nil {
			return 0, err
		}
	}
	in := psi.Inputs{Mu: h.In.Mu.Slice(from, to), S: h.In.S.Slice(from, to)}
	mean, variance := vec.New[float64](to-from, len(all)), vec.New[float64](to-from, len(all))
	ep.NewJoint(all).Predict(mean, variance, in, h.Threads)
	p := make([]float64, max(2, len(all)))
	for i := range to - from {
		normalise(p, mean.Row(i), variance.Row(i))
		class := 1 // the second of two
		for k, y := range h.Classes.Y.Row(from + i) {
			if y > 0 {
				class = k
			}
		}
		sum += math.Log(max(p[class], math.SmallestNonzeroFloat64))
	}
	return sum, nil
}

// frequent returns the columns of the classes that most rows have: a kernel that suits
// these suits the others.
func frequent(y vec.Matrix[float64]) vec.Matrix[float64] {
	count, order := make([]int, y.Cols), make([]int, y.Cols)
	for c := range order {
		order[c] = c
	}
	for i := range y.Rows {
		for c, v := range y.Row(i) {
			if v > 0 {
				count[c]++
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	out := vec.New[float64](y.Rows, min(y.Cols, learnClasses))
	for i := range y.Rows {
		for k := range out.Cols {
			out.Row(i)[k] = y.Row(i)[order[k]]
		}
	}
	return out
}
