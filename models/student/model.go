package student

import (
	"context"
	"fmt"
	"sync"

	"unfold/coarse/farfield"
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/prior"
	"unfold/sparse/solve"
)

// State are the parameters of the model: Mu n x d, Sigma2 n, all positive.
type State struct {
	Mu     vec.Matrix[float64]
	Sigma2 []float64
}

// Clone returns a copy with its own memory.
func (s *State) Clone() *State {
	return &State{Mu: s.Mu.Clone(), Sigma2: append([]float64(nil), s.Sigma2...)}
}

// Model is the likelihood of a problem and the workspace that maximises it. It
// allocates once and is not safe for concurrent use.
type Model struct {
	p       *Problem
	n, d    int
	edges   float64 // sum of S_ij
	s       ModelSettings
	weights // present weights
	prior   *prior.Prior
	fall    prior.Schedule // schedule of the prior's weight
	budget  prior.Budget   // of distances from the frame
	spent   float64        // present weight of a prior with a budget
	plane   bool           // d = 2, a = 1
	space   bool           // d = 3, a = 3/2
	shape   *shape
	system  *solve.Laplacian
	cg      *solve.CG

	similar  similar
	grad     vec.Matrix[float64]
	step     vec.Matrix[float64] // mu_EM - mu
	velocity vec.Matrix[float64] // mu_t - mu_(t-1)
	pushes   []float64           // sum_j V_ij / c
	bound    []float64           // the sweep's part of the majoriser, / c; then the diagonal Gamma, without damping
	each     []float64           // scratch, a value per point
	slope    []float64           // G_i of H9; nil until first used
	weight   []float64           // N_i of H9; nil until first used
	part     []float64

	stride int // the likelihood includes every stride-th point

	fresh bool // the sweep also computes the majoriser
	tiles sync.Pool

	visitPush, visitSpread, visitLogs func(*farfield.Batch)
}

// NewModel returns the d-dimensional model of a problem whose field is set. It returns an error if
// the settings are invalid.
func NewModel(p *Problem, d int, s ModelSettings) (*Model, error) {
	n, edges := p.N(), p.edges()
	s, err := s.withDefaults(n, d, edges, p.Intrinsic, p.singleSystem(d))
	if err != nil {
		return nil, err
	}
	sweeps := s.Sweeps
	if sweeps < 0 {
		sweeps = 0 // the solver's default limit
	}
	room := func() []float64 { return make([]float64, n) }
	m := &Model{
		p: p, n: n, d: d, edges: edges, s: s, stride: 1,
		plane: d == 2 && s.Tail == 1, space: d == 3 && s.Tail == 1.5, shape: newShape(d, s.Tail),
		system:  p.laplacian(d),
		similar: similar{p: p, d: d, a: s.Tail},
		grad:    vec.New[float64](n, d), step: vec.New[float64](n, d), velocity: vec.New[float64](n, d),
		pushes: room(), bound: room(), each: room(),
		part: make([]float64, par.Pieces(n, rowPiece)),
	}
	m.tiles.New = func() any {
		t := &tile{sources: make([][]float64, d), mu: make([]float64, d)}
		t.SetDims(d)
		return t
	}
	m.cg = solve.NewCG(n, d, solve.Settings{Tolerance: s.Tolerance, MaxIterations: sweeps, Threads: s.Threads, Single: m.system.Single != nil})
	p.Weigh(s.Further.To)
	m.weights = m.last()
	m.bind()
	return m, nil
}

// singleSystem reports whether the systems of a d-dimensional model are solved in single precision.
func (p *Problem) singleSystem(d int) bool { return onMap(d) && p.delta2.single != nil }

// laplacian allocates W of H5: the pattern with its own values. In the plane and in space, values
// have the precision of the length scales.
func (p *Problem) laplacian(d int) *solve.Laplacian {
	w := *p.Similar
	a := &solve.Laplacian{W: &w, Diagonal: make([]float64, p.N())}
	if p.singleSystem(d) {
		a.Single = make([]float32, len(w.Index))
	} else {
		w.Data = make([]float64, len(w.Index))
	}
	return a
}

// SetPrior sets a prior that keeps places near a frame (package prior). Its weight falls as the
// weight of dissimilar pairs rises. It stays until the next call.
func (m *Model) SetPrior(p *prior.Prior, s prior.Schedule) {
	m.prior, m.fall, m.budget = p, s, prior.Budget{}
	m.weights = m.last()
}

// SetBudget bounds the distances of places from the frame of the prior. In Learn the weight of the
// prior then falls only while they are within the budget (method spend). The schedule needs weights
// above 0. The budget applies until the next call of SetPrior.
func (m *Model) SetBudget(b prior.Budget) {
	m.budget, m.spent = b, m.fall.To
	m.weights = m.last()
}

// Bytes returns the memory of the constants, the field and the workspace in bytes.
func (m *Model) Bytes() int64 {
	values := 3*len(m.grad.Data) + 4*m.n + len(m.slope) + len(m.weight) + len(m.system.W.Data) + len(m.system.Single)/2
	return m.p.Bytes() + m.p.Field.Bytes() + m.cg.Bytes() + m.prior.Bytes() + 8*int64(values)
}

// Settings returns the settings in use, with all defaults filled in.
func (m *Model) Settings() ModelSettings { return m.s }

// LogLikelihood returns L of H3 with all terms, as the field approximates it.
func (m *Model) LogLikelihood(st *State) float64 {
	similar, dissimilar := m.LogLikelihoods(st)
	return similar + dissimilar
}

// LogPrior returns log p(mu) of H15 at the last weight of its schedule, or 0 without a prior.
func (m *Model) LogPrior(st *State) float64 {
	m.prior.Fit(st.Mu)
	return m.prior.LogDensity(st.Mu, m.last().kappa, 1)
}

// LogLikelihoods returns the two sums of H3: over similar pairs and over dissimilar pairs.
func (m *Model) LogLikelihoods(st *State) (similar, dissimilar float64) {
	m.move(st)
	return m.logLikelihoods(st, 1)
}

// logLikelihoods is LogLikelihoods for a field that has already moved. The sums include every
// stride-th point, with half of each of its pairs.
func (m *Model) logLikelihoods(st *State, stride int) (similar, dissimilar float64) {
	m.stride = stride
	m.p.Field.Sweep(m.s.Threads, m.visitLogs)
	var sum float64
	for i := 0; i < m.n; i += stride {
		sum += m.each[i]
	}
	// A target's sum has both directions of each of its pairs.
	return m.similar.loglik(m.s.Threads, stride, st, m.part), m.c * sum / 2
}

// Assemble does the E-step for mu at st and sets up H5 for the increment:
//
//	(Lap(W) + eta Gamma) (mu_new - mu) = grad,
//	grad_i = sum_j V_ij (mu_i - mu_j) - W_ij (mu_i - mu_j) = dL/dmu_i,
//
// Both include the prior's terms (H16).
//
// The results share the model's memory and are valid until its next call.
func (m *Model) Assemble(st *State) (a *solve.Laplacian, grad vec.Matrix[float64]) {
	m.move(st)
	m.assemble(st)
	return m.system, m.grad
}

// Gamma returns the diagonal of the last Assemble or step, without damping. It shares the model's
// memory.
func (m *Model) Gamma() []float64 { return m.bound }

// assemble is Assemble for a field that has already moved.
func (m *Model) assemble(st *State) {
	m.fresh = true
	m.p.Field.Sweep(m.s.Threads, m.visitPush)
	pairs := 2 * float64(m.n-1)
	switch m.s.Majoriser {
	case EM:
		for i, b := range m.bound {
			m.bound[i] = m.c * (pairs + b/(2*m.s.Tail)) / st.Sigma2[i]
		}
	case Global, Local, Far:
		for i, b := range m.bound {
			m.bound[i] = m.c * b
		}
	}
	m.similar.system(m.s.Threads, st, m.c, m.s.Damping, m.s.Majoriser == Force, m.pushes, m.bound, m.system, m.grad)
	m.prior.Fit(st.Mu)
	m.prior.Add(st.Mu, m.kappa, m.system.Diagonal, m.grad)
}

// move updates the field to the state.
func (m *Model) move(st *State) {
	m.check(st)
	m.p.Field.Move(m.s.Threads, st.Mu, st.Sigma2)
}

// StepMu replaces mu by the update H5: an E-step and a solve. With the majorisers EM and Global and
// damping 1, the likelihood never falls, however loosely the system is solved.
func (m *Model) StepMu(ctx context.Context, st *State) (solve.Result, error) {
	m.move(st)
	res, err := m.increment(ctx, st)
	if err != nil {
		return res, err
	}
	for k, v := range m.step.Data {
		st.Mu.Data[k] += v
	}
	return res, nil
}

// increment sets m.step to mu_EM - mu.
func (m *Model) increment(ctx context.Context, st *State) (solve.Result, error) {
	m.assemble(st)
	clear(m.step.Data)
	res, err := m.cg.Solve(ctx, m.system, m.grad, m.step)
	switch {
	case ctx.Err() != nil:
		return res, ctx.Err()
	case err != nil && !(vec.Finite(m.grad.Data) && vec.Finite(m.system.Diagonal)):
		return res, models.ErrNotFinite
	case err != nil:
		return res, fmt.Errorf("student: mu step: %w", err)
	}
	return res, nil
}

// Slopes returns dL/dsigma_i^2 = G_i/2 (H9). It shares the model's memory.
func (m *Model) Slopes(st *State) []float64 {
	m.slopes(st)
	for i, g := range m.slope {
		m.each[i] = g / 2
	}
	return m.each
}

// slopes sets slope and weight to G_i and N_i of H9. With a = d/2, the likelihood depends on V and
// r^2 only through V + r^2/d. The derivative by sigma^2 of a pair is then -d times its weight in
// the mu step.
func (m *Model) slopes(st *State) {
	if m.slope == nil {
		m.slope, m.weight = make([]float64, m.n), make([]float64, m.n)
	}
	m.move(st)
	if m.shape.fast {
		m.fresh = false
		m.p.Field.Sweep(m.s.Threads, m.visitPush)
		for i, v := range m.pushes {
			m.each[i] = -float64(m.d) * v
		}
	} else {
		m.p.Field.Sweep(m.s.Threads, m.visitSpread)
	}
	m.similar.slopes(m.s.Threads, st, m.slope, m.weight)
	pairs := 2 * m.c * float64(m.n-1)
	for i, v := range m.each {
		m.slope[i] -= m.c * v
		m.weight[i] += pairs
	}
}

// StepSigma replaces the variances by the EM update (H9)
//
//	sigma_i^2 (1 + sigma_i^2 G_i / (d N_i)),
//
// with the E-step at st. Shared variances, which must be equal, are updated by the same formula
// with sum G and sum N. Fixed variances stay. The likelihood does not fall.
func (m *Model) StepSigma(st *State) {
	if m.s.Sigma == Fixed || m.n < 2 {
		return
	}
	m.slopes(st)
	if m.s.Sigma == Shared {
		var g, n float64
		for i, v := range m.slope {
			g, n = g+v, n+m.weight[i]
		}
		for i := range m.slope {
			m.slope[i], m.weight[i] = g, n
		}
	}
	d := float64(m.d)
	for i, s := range st.Sigma2 {
		st.Sigma2[i] = max(s*(1+s*m.slope[i]/(d*m.weight[i])), m.s.Floor)
	}
}

// Step does one iteration: the mu update, momentum (SM 43)
//
//	mu_(t+1) = mu_EM + beta (mu_t - mu_(t-1)),
//
// without momentum in the first step after Reset, and the sigma update at the new mu.
func (m *Model) Step(ctx context.Context, st *State) (solve.Result, error) {
	m.move(st)
	return m.advance(ctx, st)
}

// advance is Step for a field that has already moved.
func (m *Model) advance(ctx context.Context, st *State) (solve.Result, error) {
	res, err := m.increment(ctx, st)
	if err != nil {
		return res, err
	}
	m.follow(st, m.s.Momentum)
	m.StepSigma(st)
	return res, nil
}

// follow moves mu by the increment plus momentum times the last step (SM 43).
func (m *Model) follow(st *State, momentum float64) {
	par.Ranges(m.s.Threads, len(st.Mu.Data), rowPiece*m.d, func(_, from, to int) {
		velocity, mu := m.velocity.Data[from:to], st.Mu.Data[from:to]
		for k, v := range m.step.Data[from:to] {
			velocity[k] = v + momentum*velocity[k]
			mu[k] += velocity[k]
		}
	})
}

// Reset clears the momentum, so that the next step starts afresh.
func (m *Model) Reset() {
	clear(m.velocity.Data)
}

func (m *Model) check(st *State) {
	if st.Mu.Rows != m.n || st.Mu.Cols != m.d || len(st.Sigma2) != m.n {
		panic(fmt.Sprintf("student: state of %d x %d places and %d variances for a model of %d points in %d dimensions",
			st.Mu.Rows, st.Mu.Cols, len(st.Sigma2), m.n, m.d))
	}
}
