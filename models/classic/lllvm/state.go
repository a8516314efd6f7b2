package lllvm

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/sparse/multifrontal"
)

// State is q(x), q(C) and the two precisions. Latent coordinates are ordered by coordinate first:
// coordinate r of point i (of n) has the number r n + i.
type State struct {
	// MuX are the mean positions on the map, n x d. CovX is their joint covariance: nd x nd with a
	// single patch, and one matrix for each front otherwise.
	MuX  vec.Matrix[float64]
	CovX *multifrontal.Matrix
	// MuC are the means of the local linear maps: row r n + i is column r of C_i, with dy elements.
	// CovC is their covariance, which is the same for each of the dy elements: <C'C> = dy CovC +
	// MuC MuC'.
	MuC  vec.Matrix[float64]
	CovC *multifrontal.Matrix
	// Gamma is the precision of the noise, V^-1 = gamma I. Alpha is the precision of the prior of x
	// (eq 5).
	Gamma, Alpha float64

	// Bound is the bound after the last update.
	Bound Bound

	kl [2]divergence // of x, C
	// t is T and th is tr(mu_C' H), the statistics of q in the likelihood.
	t, th float64
	// ones is the sum over the latent coordinates of 1' Sigma_C 1.
	ones float64
	// shifted is log |alpha I + 2 L|.
	shifted float64
}

// divergence has the terms of -KL(q || p) for q(x) or q(C).
type divergence struct {
	logDet float64 // log |covariance|
	trace  float64 // tr(covariance prior precision)
	square float64 // mean' prior precision mean
}

// Bound is the lower bound of log p(Y) (eq 65) and its three terms.
type Bound struct {
	LogLik float64 // <log p(Y | x, C)>
	KLX    float64 // -KL(q(x) || p(x))
	KLC    float64 // -KL(q(C) || p(C))
}

// Total returns the bound.
func (b Bound) Total() float64 { return b.LogLik + b.KLX + b.KLC }

// Random returns a random start with the given seed: C has standard normal elements and unit
// covariance, and gamma = alpha = 1. q(x) is empty until the first update.
func (m *Model) Random(seed uint64) *State {
	rnd := rand.New(rand.NewPCG(seed, 0x11_1f))
	mu := vec.New[float64](m.size(), m.y.Cols)
	for i := range mu.Data {
		mu.Data[i] = rnd.NormFloat64()
	}
	st := &State{
		MuX: vec.New[float64](m.g.Len(), m.set.Dims), CovX: m.g.tree.NewMatrix(m.set.Dims),
		MuC: mu, CovC: m.g.tree.NewMatrix(m.set.Dims), Gamma: 1, Alpha: 1, ones: float64(m.size()),
	}
	for _, f := range st.CovC.Fronts {
		for k := range f.Rows {
			f.Row(k)[k] = 1
		}
	}
	st.kl[ofC] = m.priorC(st, 0)
	if err := m.setAlpha(st, 1); err != nil {
		panic(fmt.Sprintf("lllvm: the standard start: %v", err)) // definite
	}
	return st
}

// Start returns a state with the given q(C) and an empty q(x), for a model with a single patch. It
// keeps the matrices without a copy.
func (m *Model) Start(muC, covC vec.Matrix[float64], gamma, alpha float64) (*State, error) {
	n, d := m.g.Len(), m.set.Dims
	if muC.Rows != m.size() || muC.Cols != m.y.Cols || covC.Rows != m.size() || covC.Cols != m.size() {
		return nil, fmt.Errorf("q(C) has a mean of %d x %d and a covariance of %d x %d, want %d x %d and %d x %d",
			muC.Rows, muC.Cols, covC.Rows, covC.Cols, m.size(), m.y.Cols, m.size(), m.size())
	}
	if !m.g.exact() {
		return nil, errors.New("a model in patches has no covariance of all points")
	}
	if !(gamma > 0) || !(alpha > 0) || math.IsInf(gamma, 0) || math.IsInf(alpha, 0) {
		return nil, fmt.Errorf("gamma = %g and alpha = %g have to be positive", gamma, alpha)
	}
	st := &State{
		MuX: vec.New[float64](n, d), CovX: m.g.tree.NewMatrix(m.set.Dims),
		MuC: muC, CovC: &multifrontal.Matrix{Tree: m.g.tree, Dims: m.set.Dims, Fronts: []vec.Matrix[float64]{covC}}, Gamma: gamma, Alpha: alpha,
	}
	l := covC.Clone()
	if err := spd.Factor(l, m.set.Threads); err != nil {
		return nil, fmt.Errorf("the covariance of q(C): %w", err)
	}
	m.sumOnes(st)
	st.kl[ofC] = m.priorC(st, spd.LogDet(l))
	if err := m.setAlpha(st, alpha); err != nil {
		return nil, err
	}
	return st, nil
}

const (
	ofX = 0
	ofC = 1
)

// Clone returns a copy with its own memory.
func (st *State) Clone() *State {
	c := *st
	c.MuX, c.CovX, c.MuC, c.CovC = st.MuX.Clone(), st.CovX.Clone(), st.MuC.Clone(), st.CovC.Clone()
	return &c
}
