package gplvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/optimize"
)

// errJumpless says why points cannot jump.
var errJumpless = errors.New("points jump in models with white noise and without missing values alone")

// leastGain is by how much a jump has to raise the log-likelihood: less is rounding.
const leastGain = 1e-3

// jump is a point that would be more likely at the place of another.
type jump struct {
	point, to int32
	gain      float64
}

// Jump moves single points to the places of others where that makes the likelihood
// larger, with the prior of the places, and returns how many have moved. Optimisers that
// follow the gradient leave points behind that have started on the wrong side of others:
// between them and where they belong the likelihood is lower.
//
// What a move of point i alone changes is p(y_i | x_i, all others), which is known at
// the place of every other point j once K^-1 = P is: with the noise s, A = P Y,
//
//	at home:  mean y_i - A_i/P_ii,                   variance 1/P_ii,
//	at x_j:   mean y_j - s (A_j - P_ij A_i/P_ii),    variance 2s - s^2 (P_jj - P_ij^2/P_ii)
//
// (leaving one out, C. Rasmussen and C. Williams, Gaussian processes for machine learning,
// 2006, 5.4.2). Of the jumps that gain the most the larger halves are tried until the
// likelihood of all together has grown. The time is that of a gradient.
func (m *Model) Jump(p *Point) (moved int, err error) {
	all, total, err := m.jumps(p)
	if err != nil {
		return 0, err
	}
	v, x := &Value{}, p.X.Clone()
	for ; len(all) > 0; all = all[:len(all)/2] {
		for _, j := range all {
			copy(x.Row(int(j.point)), p.X.Row(int(j.to)))
		}
		if err := m.Evaluate(v, p.Theta, x); err == nil && v.Total() > total {
			copy(p.X.Data, x.Data)
			return len(all), nil
		}
		copy(x.Data, p.X.Data)
	}
	return 0, nil
}

// jumps returns the jumps that would gain, the largest gain first, none of them to a point
// that jumps as well, and the likelihood at p.
func (m *Model) jumps(p *Point) (all []jump, total float64, err error) {
	noise := m.kernel.Variance(p.Theta)
	if !(noise > 0) || m.missing != nil {
		return nil, 0, errJumpless
	}
	v, outputs := &Value{LogPrior: logPrior(p.X.Data)}, &m.patterns[0]
	m.last.ok = false // the inverse takes the place of a factor
	m.room()
	m.kernel.Matrix(m.w, p.Theta, p.X, m.threads)
	if err := m.factor(v, m.w); err != nil {
		return nil, 0, err
	}
	m.value(v, outputs, m.w)
	spd.InvertSolve(m.w, outputs.solved, m.threads)
	spd.Mirror(m.w, m.threads)
	best := make([]jump, p.X.Rows)
	par.Ranges(m.threads, len(best), 16, func(_, from, to int) {
		for i := from; i < to; i++ {
			best[i] = m.jump(i, noise+v.Jitter, p.X)
		}
	})
	best = slices.DeleteFunc(best, func(j jump) bool { return !(j.gain > leastGain) })
	slices.SortStableFunc(best, func(a, b jump) int { return cmp.Compare(b.gain, a.gain) })
	jumps, stays := map[int32]bool{}, map[int32]bool{}
	for _, j := range best {
		if !jumps[j.to] && !stays[j.point] {
			all = append(all, j)
			jumps[j.point], stays[j.to] = true, true
		}
	}
	return all, v.Total(), nil
}

// jump returns the best jump of point i, given K^-1 in w and K^-1 Y.
func (m *Model) jump(i int, noise float64, x vec.Matrix[float64]) jump {
	out, a, y, p := &m.patterns[0], m.patterns[0].solved, m.y.Row(i), m.w.Row(i)
	d, ai := float64(len(out.outputs)), a.Row(i)
	home := (d*math.Log(p[i])-vec.SquaredNorm(ai)/p[i])/2 + logPrior(x.Row(i))
	best := jump{point: int32(i), to: int32(i)}
	for j := range x.Rows {
		if j == i {
			continue
		}
		c := p[j] / p[i]
		variance := noise * (2 - noise*(m.w.Row(j)[j]-c*p[j]))
		square := 0.0
		for k, v := range a.Row(j) {
			e := y[k] - m.y.Row(j)[k] + noise*(v-c*ai[k])
			square += e * e
		}
		there := -(d*math.Log(variance)+square/variance)/2 + logPrior(x.Row(j))
		if gain := there - home; gain > best.gain {
			best.to, best.gain = int32(j), gain
		}
	}
	return best
}

// Learner is Learn or LearnLBFGS of a model.
type Learner func(ctx context.Context, p *Point, s optimize.Settings) (optimize.Result, error)

// LearnJumping learns in rounds of at most s.Steps, after each of which points jump, until
// none does any more. It returns how many have.
func (m *Model) LearnJumping(ctx context.Context, p *Point, rounds int, s optimize.Settings, learn Learner) (sum optimize.Result, moved int, err error) {
	for round := range rounds {
		r, err := learn(ctx, p, s)
		sum.F, sum.Converged = r.F, r.Converged
		sum.Iterations += r.Iterations
		sum.Gradients += r.Gradients
		if err != nil || round == rounds-1 {
			return sum, moved, err
		}
		n, err := m.jumpAll(p)
		moved += n
		if err != nil {
			return sum, moved, fmt.Errorf("round %d: %w", round+1, err)
		}
		if n == 0 {
			break
		}
	}
	return sum, moved, nil
}

// passes is how often points jump between two rounds of learning, at most.
const passes = 10

// jumpAll lets points jump until none does any more.
func (m *Model) jumpAll(p *Point) (moved int, err error) {
	for range passes {
		n, err := m.Jump(p)
		if n == 0 || err != nil {
			return moved, err
		}
		moved += n
	}
	return moved, nil
}
