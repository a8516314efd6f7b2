package student

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/prior"
)

// Report is the report of learning.
type Report struct {
	// Iterations counts the steps of learning, CGIterations those of conjugate gradients in all
	// steps.
	Iterations, CGIterations int
	// LoglikInitial and Loglik are L of H3 before and after learning, both at the final weight. If
	// the field draws random samples, both are estimates. For more than a quarter of a million
	// points they are extrapolated from evenly chosen points.
	LoglikInitial, Loglik float64
	// LogPrior is log p(mu) of the prior (H15) after learning, or 0 without a prior.
	LogPrior float64
	// Pairs is the number of pairs of a target and a source in the last sweep.
	Pairs int64
	// Falls counts the observed falls of the likelihood. Damping is that of the last step.
	Falls   int
	Damping float64
	// Converged is true if learning ended before its last step because the likelihood hardly rose
	// (ModelSettings.Gain).
	Converged bool
}

// raise is the factor by which damping grows when the likelihood falls. noise is the relative fall
// of |L| that is attributed to the field. watched is the approximate number of points whose share
// of L is monitored, extrapolated that of reports on very many points.
const (
	raise        = 4
	noise        = 1e-4
	watched      = 8192
	extrapolated = 1 << 17
)

// weightAt returns c after the given share of the ramp (H11):
//
//	c_t = rho_t sum S / (n (n-1)),  rho_t = r0 (rf/r0)^ramp,
//
// rf = c n (n-1) / sum S, r0 = min(Ratio, rf).
func (m *Model) weightAt(ramp float64) float64 {
	unit := m.edges / (float64(m.n) * float64(m.n-1))
	last := m.s.Weight / unit
	first := min(m.s.Ratio, last)
	if ramp == 1 {
		return m.s.Weight
	}
	return first * math.Pow(last/first, ramp) * unit
}

// weights are the weights of the objective's terms that change while a map is learnt.
type weights struct {
	c       float64 // of a dissimilar pair
	further float64 // of a further edge
	kappa   float64 // of the prior
}

// alike reports whether two weights differ at most in that of the prior. Likelihoods are comparable
// then, because the log density of the prior is proportional to kappa.
func (w weights) alike(v weights) bool {
	w.kappa = v.kappa
	return w == v
}

// weightsAt returns the weights of step t.
func (m *Model) weightsAt(t int) weights {
	ramp := prior.Ramp(t, m.s.Phases)
	return weights{c: m.weightAt(ramp), further: m.s.Further.At(ramp), kappa: m.fall.At(ramp)}
}

// spend sets the weight of a prior with a budget before step t. From the end of the first phase on,
// kappa falls while moves are within the budget and rises while they exceed it. The factor per step
// is
//
//	(From/To)^(1/T1)
//
// or its reciprocal. kappa stays between To and From of the schedule.
func (m *Model) spend(st *State, t int) {
	if m.budget == (prior.Budget{}) {
		return
	}
	if prior.Ramp(t, m.s.Phases) == 0 {
		m.spent = m.fall.From
	} else {
		m.prior.Fit(st.Mu)
		factor := math.Pow(m.fall.To/m.fall.From, 1/float64(m.s.Phases[1]))
		if m.prior.Spent(st.Mu, m.budget) > 1 {
			factor = 1 / factor
		}
		m.spent = min(m.fall.From, max(m.fall.To, m.spent*factor))
	}
	m.kappa = m.spent
}

// last returns the weights at the end of learning.
func (m *Model) last() weights {
	w := weights{c: m.s.Weight, further: m.s.Further.To, kappa: m.fall.To}
	if m.budget != (prior.Budget{}) {
		w.kappa = m.spent
	}
	return w
}

// weigh sets the present weights.
func (m *Model) weigh(w weights) {
	if w.further != m.further {
		m.p.Weigh(w.further)
	}
	m.weights = w
}

// Learn improves st with the schedule of H11. It calls progress, unless that is nil, after every
// step. For a random field the result is the mean of the last steps, which removes its noise.
//
// Steps with little damping and with momentum may lower the likelihood. While the weight is
// constant, Learn therefore computes the contribution of evenly chosen points to the likelihood
// every Check steps. If it has fallen, Learn multiplies damping by 4, up to 1, and resets the
// momentum. The limit for Force is 64, because Force is not monotone at 1 either. Nothing is
// checked if the field draws new samples in every step, whose noise would hide a fall. If the
// likelihood has hardly changed, ModelSettings.Gain ends learning.
//
// If ctx ends, st is the state after the last whole step. Learn returns models.ErrNotFinite if the
// map stops being finite.
func (m *Model) Learn(ctx context.Context, st *State, progress func(done, total int)) (Report, error) {
	m.check(st)
	damping, steps := m.s.Damping, 0
	defer func() { m.s.Damping = damping; m.weigh(m.last()) }()
	if m.n > 1 && m.s.Steps >= 0 {
		steps = m.s.Phases[0] + m.s.Phases[1] + m.s.Phases[2]
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	m.Reset()
	r := Report{LoglikInitial: m.reported(st)}
	g, last := m.newGuard(), m.newMean(steps)
	for t := range steps {
		progress(t, steps)
		m.weigh(m.weightsAt(t))
		m.move(st)
		m.spend(st, t)
		g.look(m, st, t, steps)
		if r.Converged = g.still && m.weights == m.last(); r.Converged {
			break
		}
		res, err := m.advance(ctx, st)
		r.CGIterations += res.Iterations
		if err != nil {
			return r, fmt.Errorf("student: step %d of %d: %w", t+1, steps, err)
		}
		r.Iterations++
		last.add(t, st)
	}
	progress(steps, steps)
	last.take(st)
	m.weigh(m.last())
	r.Loglik, r.LogPrior = m.reported(st), m.LogPrior(st)
	r.Pairs, r.Falls, r.Damping = m.p.Field.Pairs(), g.falls, m.s.Damping
	if !vec.Finite(st.Mu.Data) || !vec.Finite(st.Sigma2) || !vec.Finite([]float64{r.Loglik}) {
		return r, fmt.Errorf("student: after %d steps: %w", r.Iterations, models.ErrNotFinite)
	}
	return r, nil
}

// reported returns the likelihood for a Report.
func (m *Model) reported(st *State) float64 {
	some := extrapolated
	if m.p.Field.Random() {
		some = watched
	}
	m.move(st)
	stride := max(1, m.n/some)
	similar, dissimilar := m.logLikelihoods(st, stride)
	return (similar + dissimilar) * (float64(m.n) / float64((m.n+stride-1)/stride))
}

// guard monitors the likelihood.
type guard struct {
	every, wait int
	weights     weights // at the last check
	loglik      float64
	near        float64 // log density of the prior with the weight 1
	known       bool
	falls       int
	still       bool // the likelihood has hardly changed since the last check
}

func (m *Model) newGuard() *guard {
	g := &guard{every: m.s.Check}
	if m.p.Field.Random() {
		g.every = -1
	}
	return g
}

// look compares the likelihood, with the prior, with that of the last check at the same weights. It
// runs before step t of all steps. The likelihood is not computed if no later check could compare
// with it.
func (g *guard) look(m *Model, st *State, t, steps int) {
	g.still = false
	if g.every < 0 {
		return
	}
	if !m.weights.alike(g.weights) {
		g.weights, g.known, g.wait = m.weights, false, 0
	}
	if g.wait--; g.wait >= 0 {
		return
	}
	g.wait = g.every - 1
	if next := t + g.every; !g.known && (next >= steps || !m.weightsAt(next).alike(m.weights)) {
		return
	}
	stride := max(1, m.n/watched)
	similar, dissimilar := m.logLikelihoods(st, stride)
	m.prior.Fit(st.Mu)
	loglik, near := similar+dissimilar, m.prior.LogDensity(st.Mu, 1, stride)
	before := g.loglik + m.kappa*(g.near-near)
	switch {
	case !g.known:
	case loglik < before-noise*math.Abs(g.loglik):
		m.s.Damping = max(m.s.Damping, min(m.mostDamping(), raise*m.s.Damping))
		m.Reset()
		g.falls++
	case math.Abs(loglik-before) < float64(g.every)*m.s.Gain*math.Abs(loglik):
		g.still = true
	}
	g.loglik, g.near, g.known = loglik, near, true
}

// mostDamping returns the limit up to which the guard raises damping.
func (m *Model) mostDamping() float64 {
	if m.s.Majoriser == Force {
		return 64
	}
	return 1
}

// averaged is the number of last states whose mean is the result for a random field.
const averaged = 10

// mean is the mean of the last states.
type mean struct {
	from, count int
	sum         vec.Matrix[float64]
}

func (m *Model) newMean(steps int) *mean {
	a := &mean{from: steps}
	if m.p.Field.Random() {
		a.from = max(0, steps-averaged)
		a.sum = vec.New[float64](m.n, m.d)
	}
	return a
}

// add adds the state after step t.
func (a *mean) add(t int, st *State) {
	if t < a.from {
		return
	}
	a.count++
	for k, v := range st.Mu.Data {
		a.sum.Data[k] += v
	}
}

// take sets the state to the mean.
func (a *mean) take(st *State) {
	for k, v := range a.sum.Data {
		if a.count > 0 {
			st.Mu.Data[k] = v / float64(a.count)
		}
	}
}
