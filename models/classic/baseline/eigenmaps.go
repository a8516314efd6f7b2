package baseline

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/spectral"
)

// eigenTolerance is the residual at which the iteration for eigenvectors of a graph stops.
const eigenTolerance = 1e-6

// mostFactor bounds the size of the graph's factor, in numbers for each point. Beyond it an
// approximate factor is used, which takes more iterations.
const mostFactor = 4096

// leastShrunk is the least 1 - lambda_c that (7) divides by.
const leastShrunk = 0.01

// affinities returns the weights s_ij of (6), m x m.
func affinities(lists [][]int32) *sparse.CSR {
	var i, j []int32
	var w []float64
	for p, near := range lists {
		for _, q := range near {
			i, j, w = append(i, int32(p), q), append(j, q, int32(p)), append(w, 0.5, 0.5)
		}
	}
	return sparse.FromTriplets(len(lists), len(lists), i, j, w)
}

// eigenmap returns the positions (6), m x d, and their eigenvalues, ascending.
func eigenmap(ctx context.Context, lists [][]int32, s Settings) (places vec.Matrix[float64], values []float64, err error) {
	w := affinities(lists)
	degrees := make([]float64, w.N)
	for i := range degrees {
		_, row := w.Row(i)
		for _, v := range row {
			degrees[i] += v
		}
	}
	r, err := spectral.Lowest(ctx, w, s.Dims, spectral.Settings{
		Masses: degrees, Exact: int64(w.N) * mostFactor, Tolerance: eigenTolerance, Seed: s.Seed, Threads: s.Threads,
	})
	switch {
	case err != nil:
		return places, nil, err
	case !r.Converged:
		return places, nil, fmt.Errorf("the eigenvectors of the graph of neighbours have a residual of %.2g after %d iterations, want %g; give more neighbours or another seed", r.Residual, r.Iterations, eigenTolerance)
	}
	return r.Vectors, r.Values, nil
}

// diffusion places vectors by (7).
type diffusion struct {
	// values (d) are lambda_c.
	values []float64
	// reach2 (m) has the squared distances of learnt vectors to their k-th nearest.
	reach2 []float64
}

// check returns an error if decoded values are invalid.
func (f diffusion) check() error {
	for c, v := range f.values {
		if !(v > 0 && v <= 2+eigenTolerance) {
			return fmt.Errorf("eigenvalue %d is %g, want one above 0 and up to 2", c, v)
		}
	}
	return nil
}

// place adds to mu (d) the position of z among learnt vectors y with positions x; near are its
// nearest, and a (m) is a workspace.
func (f diffusion) place(mu, a, z []float64, y, x vec.Matrix[float64], near []int32) {
	degree := 0.5 * float64(len(near))
	for j := range a {
		if a[j] = 0; vec.SquaredDistance(z, y.Row(j)) <= f.reach2[j] {
			a[j] = 0.5
			degree += 0.5
		}
	}
	for _, j := range near {
		a[j] += 0.5
	}
	for j, s := range a {
		if s > 0 {
			vec.Axpy(s/degree, x.Row(j), mu)
		}
	}
	for c, v := range f.values {
		if v <= 1-leastShrunk {
			mu[c] /= 1 - v
		}
	}
}
