package saul

import (
	"context"
	"fmt"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/points"
	"unfold/models/prior"
	"unfold/sparse/solve"
)

// State has the parameters of the model: Mu, the positions (n x d), and Sigma2, the n positive
// variances.
type State struct {
	Mu     vec.Matrix[float64]
	Sigma2 []float64
}

// Clone returns a copy with its own memory.
func (s *State) Clone() *State {
	return &State{Mu: s.Mu.Clone(), Sigma2: append([]float64(nil), s.Sigma2...)}
}

// ModelSettings are the settings of NewModel. The zero value is usable.
type ModelSettings struct {
	// Tolerance is the tolerance of conjugate gradients relative to the gradient; default 1e-2.
	Tolerance float64
	// Floor is the lower bound of sigma^2, in absolute units. Zero means no bound.
	Floor float64
	// Shared gives all points one variance. The starting variances must then be equal.
	Shared bool
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
}

// Model is the likelihood for fixed constants, with the workspace of its maximisation. It allocates
// once and is not safe for concurrent use.
type Model struct {
	pairs    *landmark.Pairs
	d        int
	s        ModelSettings
	similar  *similar
	blocks   *blocks
	system   *solve.Laplacian
	cg       *solve.CG
	grad     vec.Matrix[float64]
	step     vec.Matrix[float64] // mu_EM - mu
	velocity vec.Matrix[float64] // mu_t - mu_(t-1)
	spread   []float64
	rise     rise
	// prior and kappa are those of SetPrior.
	prior *prior.Prior
	kappa float64
	// lambda and from are the weight and the positions that Hold sets; lambda is 0 if Hold was not
	// called.
	lambda float64
	from   vec.Matrix[float64]
}

// NewModel returns the d-dimensional model with the given constants.
func NewModel(p *landmark.Pairs, d int, s ModelSettings) *Model {
	if s.Tolerance <= 0 {
		s.Tolerance = 1e-2
	}
	m := &Model{
		pairs: p, d: d, s: s,
		similar: newSimilar(p, d), blocks: newBlocks(p, d),
		cg:   solve.NewCG(p.N, d, solve.Settings{Tolerance: s.Tolerance, Threads: s.Threads}),
		grad: vec.New[float64](p.N, d), step: vec.New[float64](p.N, d), velocity: vec.New[float64](p.N, d),
		spread: make([]float64, p.N),
	}
	m.system = &solve.Laplacian{W: m.similar.weights(), Diagonal: make([]float64, p.N)}
	return m
}

// LogLikelihood returns L of eq 6 (SM 26), over ordered pairs, all terms.
func (m *Model) LogLikelihood(st *State) float64 {
	m.check(st)
	m.blocks.gather(m.s.Threads, st.Mu.Data, st.Sigma2)
	return m.similar.loglik(m.s.Threads, st) + m.blocks.loglik(m.s.Threads)
}

// Assemble does the E-step for mu at st and sets up eq 20 for the increment:
//
//	(Lap(W) + Gamma) (mu_new - mu) = grad,
//	grad_i = sum_j V_ij (mu_i - mu_j) - W_ij (mu_i - mu_j) = dL/dmu_i,
//	V_ij = D_ij nu_ij / (Delta_ij^2 + sigma_i^2 + sigma_j^2) + (ij -> ji).
//
// The right-hand side of eq 20 itself is grad + (Lap(W) + Gamma) mu. The results share the model's
// memory and are valid until its next call.
func (m *Model) Assemble(st *State) (a *solve.Laplacian, grad vec.Matrix[float64]) {
	m.check(st)
	m.blocks.gather(m.s.Threads, st.Mu.Data, st.Sigma2)
	m.blocks.sweep(m.s.Threads, &pushes)
	m.blocks.scatter(m.s.Threads, m.d, m.grad.Data, 1, false)
	m.similar.system(m.s.Threads, st, m.system, m.grad)
	return m.system, m.grad
}

// StepMu updates mu by eq 18-20 (SM 32): an E-step and a linear solve. The likelihood does not
// fall, whatever the tolerance of the solver.
func (m *Model) StepMu(ctx context.Context, st *State) (solve.Result, error) {
	res, err := m.increment(ctx, st)
	if err != nil {
		return res, err
	}
	for k, v := range m.step.Data {
		st.Mu.Data[k] += v
	}
	return res, nil
}

// Hold anchors points at their positions mu^0 in st for all following steps, until the next call of
// Hold. As H13 of package student, it adds to the likelihood
//
//	-lambda/2 sum_i |mu_i - mu^0_i|^2,
//
// so that the system of Assemble becomes
//
//	(Lap(W) + Gamma + lambda) (mu_new - mu) = dL/dmu - lambda (mu - mu^0).
//
// A step without momentum never lowers the sum of likelihood and anchor. Since the anchor is 0 at
// mu^0 and negative elsewhere, the likelihood after all steps is not below the likelihood before
// them. A lambda of 0 removes the anchor.
func (m *Model) Hold(st *State, lambda float64) {
	m.check(st)
	if m.lambda = lambda; lambda != 0 {
		m.from = st.Mu.Clone()
	}
}

// SetPrior keeps positions near a frame with the weight kappa (package prior), until the next call.
// Steps without momentum never lower the sum of likelihood and prior.
func (m *Model) SetPrior(p *prior.Prior, kappa float64) { m.prior, m.kappa = p, kappa }

// LogPrior returns log p(mu) of H15 at the present weight; 0 without a prior.
func (m *Model) LogPrior(st *State) float64 {
	m.prior.Fit(st.Mu)
	return m.prior.LogDensity(st.Mu, m.kappa, 1)
}

// anchor adds the terms of the prior and of Hold to the system of a step.
func (m *Model) anchor(st *State, a *solve.Laplacian, grad vec.Matrix[float64]) {
	m.prior.Fit(st.Mu)
	m.prior.Add(st.Mu, m.kappa, a.Diagonal, grad)
	if m.lambda == 0 {
		return
	}
	for i := range a.Diagonal {
		a.Diagonal[i] += m.lambda
	}
	for k, v := range st.Mu.Data {
		grad.Data[k] -= m.lambda * (v - m.from.Data[k])
	}
}

// increment leaves mu_EM - mu in m.step.
func (m *Model) increment(ctx context.Context, st *State) (solve.Result, error) {
	a, grad := m.Assemble(st)
	m.anchor(st, a, grad)
	m.rise.half(grad.Data, m.velocity.Data)
	clear(m.step.Data)
	res, err := m.cg.Solve(ctx, a, grad, m.step)
	switch {
	case ctx.Err() != nil:
		return res, ctx.Err()
	case err != nil && !vec.Finite(grad.Data):
		return res, models.ErrNotFinite
	case err != nil:
		return res, fmt.Errorf(points.Kind+": mu step: %w", err)
	}
	return res, nil
}

// StepSigma replaces sigma^2 by the update of eq 21 (SM 39), with the E-step at
// st. By eq 16 and 17 that is
//
//	sigma_i^2 (1 + sigma_i^2 / d  (sum of similar - sum of dissimilar) / weight),
//
// where the sums are of (S_ij + S_ji) (1/q)(|mu_i - mu_j|^2/q - d) and D_ij (nu_ij/q)(|mu_i -
// mu_j|^2/q - d) + (ij -> ji). The likelihood does not fall.
func (m *Model) StepSigma(st *State) {
	m.check(st)
	m.blocks.gather(m.s.Threads, st.Mu.Data, st.Sigma2)
	m.blocks.sweep(m.s.Threads, &spreads)
	m.similar.spread(m.s.Threads, st, m.spread)
	m.blocks.scatter(m.s.Threads, 1, m.spread, -1, true)
	if m.s.Shared {
		m.stepShared(st)
		return
	}
	d := float64(m.d)
	for i, s := range st.Sigma2 {
		weight := m.weight(i)
		if weight == 0 {
			continue // a point without pairs stays as it is
		}
		st.Sigma2[i] = max(s*(1+s/d*m.spread[i]/weight), m.s.Floor)
		m.rise += rise(m.spread[i] / 2 * (st.Sigma2[i] - s)) // dL/dsigma^2 is half of spread
	}
}

// weight returns the total weight of a point's pairs; d times it is the denominator of eq 21.
func (m *Model) weight(i int) float64 { return m.similar.total[i] + m.pairs.Weight[i] }

// stepShared is StepSigma for a variance that all points share. The bound of EM is a sum over
// points of -weight_i (d log sigma^2 + e_i / sigma^2) / 2, where e_i is d times the result of eq 21
// for point i. So the best shared sigma^2 is the weighted mean of eq 21 over the points:
//
//	sigma^2 (1 + sigma^2 / d  sum_i spread_i / sum_i weight_i).
func (m *Model) stepShared(st *State) {
	var spread, weight float64
	for i := range st.Sigma2 {
		spread += m.spread[i]
		weight += m.weight(i)
	}
	if weight == 0 {
		return
	}
	s := st.Sigma2[0]
	next := max(s*(1+s/float64(m.d)*spread/weight), m.s.Floor)
	m.rise += rise(spread / 2 * (next - s))
	for i := range st.Sigma2 {
		st.Sigma2[i] = next
	}
}

// tie sets all variances of a state to their mean.
func (s *State) tie() {
	var mean float64
	for _, v := range s.Sigma2 {
		mean += v / float64(len(s.Sigma2))
	}
	for i := range s.Sigma2 {
		s.Sigma2[i] = mean
	}
}

// Step does one EM iteration: the mu update, momentum (SM 43)
//
//	mu_(t+1) = mu_EM + beta (mu_t - mu_(t-1)),
//
// which is zero in the first step after Reset, and the sigma update at the new mu.
func (m *Model) Step(ctx context.Context, st *State, beta float64) (solve.Result, error) {
	res, err := m.increment(ctx, st)
	if err != nil {
		return res, err
	}
	for k, v := range m.step.Data {
		m.velocity.Data[k] = v + beta*m.velocity.Data[k]
		st.Mu.Data[k] += m.velocity.Data[k]
	}
	m.rise.half(m.grad.Data, m.velocity.Data)
	m.StepSigma(st)
	return res, nil
}

// Rise returns the total increase of the likelihood over all calls of Step, up to an unknown
// constant. It is summed from gradients that steps compute anyway, without a sweep of its own. The
// second half of the last mu update is added by the next step.
func (m *Model) Rise() float64 { return float64(m.rise) }

// Reset clears the momentum, so that the next step has none.
func (m *Model) Reset() { clear(m.velocity.Data) }

func (m *Model) check(st *State) {
	if st.Mu.Rows != m.pairs.N || st.Mu.Cols != m.d || len(st.Sigma2) != m.pairs.N {
		panic(fmt.Sprintf("lvm: state of %d x %d places and %d variances for a model of %d points in %d dimensions",
			st.Mu.Rows, st.Mu.Cols, len(st.Sigma2), m.pairs.N, m.d))
	}
}
