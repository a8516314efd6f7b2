package baseline

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/simd/pairwise"
	"unfold/internal/vec"
	"unfold/models/optimize"
)

const (
	// leastLength is the smallest delta that (9) divides by, in units. Vectors that are closer are
	// equal up to rounding.
	leastLength = 1e-9
	// stressTolerance is the step, in units, at which the iteration stops.
	stressTolerance = 1e-9
	// stressSteps and guestSteps are the maximum numbers of iterations for a map and for one
	// position.
	stressSteps = 2000
	guestSteps  = 200
)

// lengths sets delta (m) to the distances of z from learnt vectors, by columns.
func lengths(delta, z []float64, columns [][]float64) {
	pairwise.Distances(delta, z, columns)
	for j, d2 := range delta {
		delta[j] = max(math.Sqrt(d2), leastLength)
	}
}

// columnsOf are those of y.
func columnsOf(y vec.Matrix[float64]) [][]float64 {
	t := vec.Transpose(y)
	out := make([][]float64, t.Rows)
	for c := range out {
		out[c] = t.Row(c)
	}
	return out
}

// stress returns sum_j w_j (delta_j - r_j)^2 for a point at x, r_j = |x - x_j|, over all j except
// but. It sets g (d) to the derivative, in which points at x itself are ignored. w_j is 1/delta_j,
// or 1 if even is set.
func stress(g, x, delta []float64, at vec.Matrix[float64], but int, even bool) (sum float64) {
	clear(g)
	for j, l := range delta {
		if j == but {
			continue
		}
		r := math.Sqrt(vec.SquaredDistance(x, at.Row(j)))
		e, w := r-l, 1.0
		if !even {
			w = 1 / l
		}
		sum += w * e * e
		if r == 0 {
			continue
		}
		f := 2 * w * e / r
		for c, v := range at.Row(j) {
			g[c] += f * (x[c] - v)
		}
	}
	return sum
}

// relaxed returns the positions of minimal (9), m x d, from a start at principal components.
func (t *scaled) relaxed(ctx context.Context, x vec.Matrix[float32], s Settings) (vec.Matrix[float64], error) {
	start, err := t.projected(ctx, x, s)
	if err != nil {
		return start, err
	}
	places, course, err := relax(ctx, t.y, start, s.Threads)
	t.course = course
	return places, err
}

// projected returns positions by principal components, in units; they equal those of classical
// scaling.
func (t *scaled) projected(ctx context.Context, x vec.Matrix[float32], s Settings) (vec.Matrix[float64], error) {
	l, err := components(ctx, x, s)
	if err != nil {
		return vec.Matrix[float64]{}, err
	}
	start, _, err := direct{l, s.Threads}.PlaceAll(ctx, x, nil)
	vec.Scale(t.units.Scale, start.Data)
	return start, err
}

// relax returns the positions x after moving them to a minimum of (9) and rotating them to their
// principal axes. Each goroutine stores the distances of one vector at a time.
func relax(ctx context.Context, y, x vec.Matrix[float64], threads int) (vec.Matrix[float64], optimize.Result, error) {
	const piece = 8
	m, d := x.Rows, x.Cols
	sums, columns := make([]float64, m), columnsOf(y)
	total := func(at, g []float64) (float64, error) {
		now, turn := vec.Of(m, d, at), vec.Of(m, d, g)
		par.Ranges(threads, m, piece, func(_, from, to int) {
			delta := make([]float64, m)
			for i := from; i < to && ctx.Err() == nil; i++ {
				lengths(delta, y.Row(i), columns)
				sums[i] = stress(turn.Row(i), now.Row(i), delta, now, i, false)
			}
		})
		sum := 0.0
		for _, s := range sums {
			sum += s / float64(2*m)
		}
		vec.Scale(1/float64(m), g)
		return sum, ctx.Err()
	}
	r, err := optimize.LBFGS(ctx, total, x.Data, optimize.Settings{Steps: stressSteps, StepTolerance: stressTolerance, ValueTolerance: math.Inf(1)})
	if err != nil {
		return x, r, err
	}
	x, err = turned(x)
	return x, r, err
}

// turned returns x (m x d), centred and rotated to its principal axes.
func turned(x vec.Matrix[float64]) (vec.Matrix[float64], error) {
	d := x.Cols
	mean := make([]float64, d)
	for i := range x.Rows {
		vec.Axpy(1/float64(x.Rows), x.Row(i), mean)
	}
	for i := range x.Rows {
		vec.Axpy(-1, mean, x.Row(i))
	}
	gram := mat.NewSymDense(d, nil)
	for i := range x.Rows {
		gram.SymRankOne(gram, 1, mat.NewVecDense(d, x.Row(i)))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return x, errUnsolved
	}
	var axes mat.Dense
	eigen.VectorsTo(&axes)
	out := vec.New[float64](x.Rows, d)
	for i := range x.Rows {
		for c := range d {
			out.Row(i)[c] = mat.Dot(axes.ColView(d-1-c), mat.NewVecDense(d, x.Row(i)))
		}
	}
	orient(out)
	return out, nil
}

// descend moves mu to a minimum of the stress of a vector with distances delta to the fixed learnt
// points at x; even is as for stress.
func descend(ctx context.Context, mu, delta []float64, x vec.Matrix[float64], even bool) error {
	share := 1 / float64(x.Rows)
	_, err := optimize.LBFGS(ctx, func(at, g []float64) (float64, error) {
		sum := stress(g, at, delta, x, -1, even)
		vec.Scale(share, g)
		return share * sum, nil
	}, mu, optimize.Settings{Steps: guestSteps, StepTolerance: stressTolerance, ValueTolerance: math.Inf(1)})
	return err
}
