package student

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models/points"
)

// StartSettings are the settings of Start. The zero value works.
type StartSettings struct {
	// Seed is the seed of principal components and of the noise in columns without a component.
	Seed uint64
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	// Sigma2 is the variance of all points. Default DefaultSigma2.
	Sigma2 float64
}

// Start returns a start state for learning: the first dims principal components of the rows of x
// (points.Components), and the same variance for all points.
func Start(ctx context.Context, x vec.Matrix[float32], dims int, s StartSettings) (*State, error) {
	if s.Sigma2 == 0 {
		s.Sigma2 = DefaultSigma2
	}
	mu, err := points.Components(ctx, x, dims, s.Seed, s.Threads)
	if err != nil {
		return nil, fmt.Errorf("student: start: %w", err)
	}
	return uniform(mu, s.Sigma2), nil
}

// uniform returns a state of the given places with the same variance for all points.
func uniform(mu vec.Matrix[float64], sigma2 float64) *State {
	st := &State{Mu: mu, Sigma2: make([]float64, mu.Rows)}
	for i := range st.Sigma2 {
		st.Sigma2[i] = sigma2
	}
	return st
}
