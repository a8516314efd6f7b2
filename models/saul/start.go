package saul

import (
	"context"
	"math"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/sparse/spectral"
)

// StartSettings are the settings of Start. The zero value is usable.
type StartSettings struct {
	// Spectral are the settings of the eigenvectors: tolerance (1% suffices as a start), seed and
	// threads.
	Spectral spectral.Settings
	// Floor is the least sigma^2 (absolute).
	Floor float64
}

// Start returns the initial parameters of learning (supplement, "Implementation"). The variances
// are
//
//	sigma_i^2 = max_j E_ij |x_i - x_j|^2 / (2d),
//
// and the columns of mu are the d lowest non-trivial eigenvectors of the Laplacian of S + S', each
// scaled to root mean square sqrt(mean sigma^2). The paper gives no scale; a hundredth or ten times
// this one changes the final likelihood by about 1%.
//
// Coordinates beyond n-1 are 0, because they have no eigenvector.
func Start(ctx context.Context, p *landmark.Pairs, d int, s StartSettings) (*State, error) {
	st, mean := spread(p, d, s.Floor)
	count := min(d, p.N-1)
	if count < 1 {
		return st, nil
	}
	r, err := spectral.Lowest(ctx, p.Similar, count, s.Spectral)
	if err != nil {
		return nil, err
	}
	// A unit vector has root mean square 1/sqrt(n).
	scale := math.Sqrt(mean * float64(p.N))
	for i := range p.N {
		to := st.Mu.Row(i)
		for c, v := range r.Vectors.Row(i) {
			to[c] = scale * v
		}
	}
	return st, nil
}

// spread returns the initial variances and their mean; all positions are 0.
func spread(p *landmark.Pairs, d int, floor float64) (st *State, mean float64) {
	st = &State{Mu: vec.New[float64](p.N, d), Sigma2: make([]float64, p.N)}
	for i, b := range p.Bandwidth2 {
		st.Sigma2[i] = max(b*landmark.Calibration/float64(2*d), floor)
		mean += st.Sigma2[i] / float64(p.N)
	}
	return st, mean
}
