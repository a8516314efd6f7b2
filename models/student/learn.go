package student

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models"
)

// Report is what learning has to say about itself.
type Report struct {
	// Iterations of learning, and of conjugate gradients in all of them.
	Iterations, CGIterations int
	// LoglikInitial and Loglik are L of H3 before and after, both at the final
	// weight. With a field that draws again, an estimate in any case, they are
	// extrapolated from some points.
	LoglikInitial, Loglik float64
	// Pairs of a target and a source that the last sweep met.
	Pairs int64
	// Falls says how often the likelihood was seen to have fallen; Damping is
	// that of the last step.
	Falls   int
	Damping float64
	// Converged says that learning ended before its last step, because the
	// likelihood hardly rose (ModelSettings.Gain).
	Converged bool
}

// raise is the factor by which damping grows when the likelihood falls, noise
// the fall, relative to |L|, that is put down to the field, and watched about how
// many points' share of L is looked at.
const (
	raise   = 4
	noise   = 1e-4
	watched = 8192
)

// weightAt returns c of step t, 0-based (H11):
//
//	c_t = rho_t sum S / (n (n-1)),  rho_t = r0 (rf/r0)^min(1, (t - T0 + 1)/T1) from step T0 - 1 on,
//
// rf = c n (n-1) / sum S, r0 = min(Ratio, rf) before.
func (m *Model) weightAt(t int) float64 {
	unit := m.edges / (float64(m.n) * float64(m.n-1))
	last := m.s.Weight / unit
	first := min(m.s.Ratio, last)
	at := float64(t - m.s.Phases[0] + 1)
	switch {
	case at <= 0 || first == last:
		return first * unit
	case at >= float64(m.s.Phases[1]):
		return m.s.Weight
	}
	return first * math.Pow(last/first, at/float64(m.s.Phases[1])) * unit
}

// Learn improves st by the schedule of H11. Progress, if not nil, hears of every
// step. The result is the mean of the last steps if Average says so.
//
// Steps with little damping and with momentum are not bound to raise the
// likelihood. Where the weight stands still, Learn therefore looks every Check
// steps at what evenly chosen points contribute to it; if that has fallen, damping
// is raised by a factor of 4, up to 1 (for Force, which proves nothing at 1
// either, up to 64), and the momentum is forgotten. A field that draws again in every step hides
// the likelihood in its own noise: then nothing is checked. If the likelihood
// has hardly moved, ModelSettings.Gain ends learning there.
//
// If ctx ends, st is what it was after the last whole step. models.ErrNotFinite is
// returned if the map stops being finite.
func (m *Model) Learn(ctx context.Context, st *State, progress func(done, total int)) (Report, error) {
	m.check(st)
	damping, steps := m.s.Damping, 0
	defer func() { m.s.Damping, m.c = damping, m.s.Weight }()
	if m.n > 1 && m.s.Steps >= 0 {
		steps = m.s.Phases[0] + m.s.Phases[1] + m.s.Phases[2]
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	m.Reset()
	m.c = m.s.Weight
	r := Report{LoglikInitial: m.reported(st)}
	g, last := m.newGuard(), m.newMean(steps)
	for t := range steps {
		progress(t, steps)
		m.c = m.weightAt(t)
		m.move(st)
		g.look(m, st, t, steps)
		if r.Converged = g.still && m.c == m.s.Weight; r.Converged {
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
	m.c = m.s.Weight
	r.Loglik = m.reported(st)
	r.Pairs, r.Falls, r.Damping = m.p.Field.Pairs(), g.falls, m.s.Damping
	if !vec.Finite(st.Mu.Data) || !vec.Finite(st.Sigma2) || !vec.Finite([]float64{r.Loglik}) {
		return r, fmt.Errorf("student: after %d steps: %w", r.Iterations, models.ErrNotFinite)
	}
	return r, nil
}

// reported is the likelihood for a Report.
func (m *Model) reported(st *State) float64 {
	if !m.p.Field.Random() {
		return m.LogLikelihood(st)
	}
	m.move(st)
	stride := max(1, m.n/watched)
	similar, dissimilar := m.logLikelihoods(st, stride)
	return (similar + dissimilar) * float64(m.n) / float64((m.n+stride-1)/stride)
}

// guard watches the likelihood.
type guard struct {
	every, wait int
	c, loglik   float64
	known       bool
	falls       int
	still       bool // at this look it has hardly moved since the last
}

func (m *Model) newGuard() *guard {
	g := &guard{every: m.s.Check}
	if m.p.Field.Random() {
		g.every = -1
	}
	return g
}

// look compares the likelihood with that of the last look at the same weight,
// before step t of so many. It is not computed where nothing will be compared with
// it.
func (g *guard) look(m *Model, st *State, t, steps int) {
	g.still = false
	if g.every < 0 {
		return
	}
	if m.c != g.c {
		g.c, g.known, g.wait = m.c, false, 0
	}
	if g.wait--; g.wait >= 0 {
		return
	}
	g.wait = g.every - 1
	if next := t + g.every; !g.known && (next >= steps || m.weightAt(next) != m.c) {
		return
	}
	similar, dissimilar := m.logLikelihoods(st, max(1, m.n/watched))
	loglik := similar + dissimilar
	switch {
	case !g.known:
	case loglik < g.loglik-noise*math.Abs(g.loglik):
		m.s.Damping = max(m.s.Damping, min(m.mostDamping(), raise*m.s.Damping))
		m.Reset()
		g.falls++
	case math.Abs(loglik-g.loglik) < float64(g.every)*m.s.Gain*math.Abs(loglik):
		g.still = true
	}
	g.loglik, g.known = loglik, true
}

// mostDamping is what the guard raises damping to at most.
func (m *Model) mostDamping() float64 {
	if m.s.Majoriser == Force {
		return 64
	}
	return 1
}

// mean is that of the last states.
type mean struct {
	from, count int
	sum         vec.Matrix[float64]
}

func (m *Model) newMean(steps int) *mean {
	average := m.s.Average
	if average == 0 && m.p.Field.Random() {
		average = 10
	}
	a := &mean{from: steps}
	if average > 1 {
		a.from = max(0, steps-average)
		a.sum = vec.New[float64](m.n, m.d)
	}
	return a
}

// add counts the state after step t.
func (a *mean) add(t int, st *State) {
	if t < a.from {
		return
	}
	a.count++
	for k, v := range st.Mu.Data {
		a.sum.Data[k] += v
	}
}

// take makes the mean the state.
func (a *mean) take(st *State) {
	for k, v := range a.sum.Data {
		if a.count > 0 {
			st.Mu.Data[k] = v / float64(a.count)
		}
	}
}
