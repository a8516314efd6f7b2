package student

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/pca"
)

// startSpread is the standard deviation of every column of the start, and
// missingSpread that of columns for which the data have no component.
const (
	startSpread   = 5
	missingSpread = 0.05
	// rank is the least variance, relative to the first, of a component that is
	// more than rounding.
	rank = 1e-10
)

// StartSettings of Start. The zero value is usable.
type StartSettings struct {
	// Seed is that of the noise in columns without a component, and of principal
	// components.
	Seed uint64
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	// Sigma2 is the variance of all points. Default DefaultSigma2.
	Sigma2 float64
}

// Start returns the state that learning starts from: the dims principal
// components of the rows of x, each column scaled to a standard deviation of 5.
// They keep the global order of the data. If the data have fewer components,
// the other columns are seeded normal noise of a standard deviation of 0.05: just
// enough for learning to make use of them.
func Start(ctx context.Context, x vec.Matrix[float32], dims int, s StartSettings) (*State, error) {
	if s.Sigma2 == 0 {
		s.Sigma2 = DefaultSigma2
	}
	st := &State{Mu: vec.New[float64](x.Rows, dims), Sigma2: make([]float64, x.Rows)}
	for i := range st.Sigma2 {
		st.Sigma2[i] = s.Sigma2
	}
	have := 0
	var z vec.Matrix[float32]
	if q := min(dims, x.Cols); q > 0 && x.Rows > 1 {
		p, err := pca.Fit(ctx, x, q, pca.Settings{Threads: s.Threads, Seed: s.Seed})
		if err != nil {
			return nil, fmt.Errorf("student: start: %w", err)
		}
		for have < min(q, x.Rows-1) && p.Variance[have] > rank*p.Variance[0] {
			have++
		}
		z = p.Projector().Apply(x, s.Threads)
		if err := models.CheckRows(z, nil); err != nil {
			return nil, fmt.Errorf("student: the components of these values are beyond the range of float32: %w", err)
		}
	}
	r := rand.New(rand.NewPCG(s.Seed, 0x57a7))
	for c := range dims {
		if c < have {
			column(st.Mu, z, c)
			continue
		}
		for i := range x.Rows {
			st.Mu.Row(i)[c] = missingSpread * r.NormFloat64()
		}
	}
	return st, nil
}

// column copies column c of z, centred and scaled.
func column(mu vec.Matrix[float64], z vec.Matrix[float32], c int) {
	var mean, square float64
	n := float64(z.Rows)
	for i := range z.Rows {
		mean += float64(z.Row(i)[c]) / n
	}
	for i := range z.Rows {
		d := float64(z.Row(i)[c]) - mean
		square += d * d / n
	}
	for i := range z.Rows {
		mu.Row(i)[c] = startSpread * (float64(z.Row(i)[c]) - mean) / math.Sqrt(square)
	}
}
