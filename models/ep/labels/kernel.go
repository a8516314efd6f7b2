package labels

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"unfold/models/ep"
	"unfold/models/psi"
	"unfold/sparse/vec"
	"unfold/sparse/vec/spd"
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
)

// factors are those of the variances to choose from.
var factors = []float64{1, 0.25, 0.0625, 0}

// learnKernel moves the kernel to where the bound is higher, by part of the events,
// and takes the factor of the variances that foretells the classes of others best:
// the bound itself always prefers inputs without variance.
func learnKernel(ctx context.Context, h *model, again bool, set Settings, r *Report) error {
	n := min(h.In.Mu.Rows, learnRows)
	z := centres(h.In.Mu.Slice(0, n), min(n, learnInducing), set.Seed)
	part := func(y vec.Matrix[float64]) *ep.Hybrid {
		return &ep.Hybrid{Threads: set.Threads,
			In:      psi.Inputs{Mu: h.In.Mu.Slice(0, n), S: h.In.S.Slice(0, n).Clone()},
			Classes: &ep.Classes{Kernel: h.Classes.Kernel.Clone(), Z: z, Y: y}}
	}
	small := part(frequent(h.Classes.Y.Slice(0, n)))
	how := ep.LearnSettings{Rounds: 3, Steps: 5, Sweeps: 3, FixInputs: true, FixInducing: true, Tied: true}
	if again {
		how.Rounds, how.Steps = 1, 3
	}
	did, err := small.Learn(ctx, how)
	r.Gradients = did.Gradients
	var indefinite *spd.IndefiniteError
	if errors.As(err, &indefinite) {
		return nil // the kernel went too far: it stays what it was
	}
	if err != nil {
		return err
	}
	h.Classes.Kernel = small.Classes.Kernel
	h.Classes.Kernel.Variance = min(h.Classes.Kernel.Variance, mostVariance)
	small = part(h.Classes.Y.Slice(0, n))
	others := min(h.In.Mu.Rows-n, learnRows)
	if set.Certain || others < leastOthers {
		return nil
	}
	most := math.Inf(-1)
	for _, factor := range factors {
		v, err := h.foretell(small, factor, n, n+others)
		if err != nil {
			return err
		}
		if v > most {
			most, h.spread = v, factor
		}
	}
	h.spreadOut()
	return nil
}

// foretell returns the sum of the log probabilities of the classes of rows from, ...
// by the sites of small, if places have factor times their variance.
func (h *model) foretell(small *ep.Hybrid, factor float64, from, to int) (sum float64, err error) {
	n := small.In.S.Rows
	copy(small.In.S.Data, h.variance.Slice(0, n).Data)
	vec.Scale(factor, small.In.S.Data)
	all, err := small.Sparse()
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		if _, err := s.Run(ep.Settings{Sweeps: 5, Tolerance: 1e-3}); err != nil {
			return 0, err
		}
	}
	in := psi.Inputs{Mu: h.In.Mu.Slice(from, to), S: h.variance.Slice(from, to).Clone()}
	vec.Scale(factor, in.S.Data)
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
