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

// errJumpless is the error of models whose points cannot jump.
var errJumpless = errors.New("jumps need a model with white noise and without missing values")

// leastGain is the least increase of the log-likelihood for a jump. Less is rounding.
const leastGain = 1e-3

// jump is a move of a point to the place of another one, where it is more likely.
type jump struct {
	point, to int32
	gain      float64
}

// Jump moves single points to the places of others if that increases the likelihood with the prior
// of the places. It returns the number of moved points. Gradients do not move points that started
// on the wrong side of others, because the likelihood is lower between them and their best place.
//
// Moving only point i changes p(y_i | x_i, all others). Given K^-1 = P, it is known at the place of
// every other point j. With the noise s and A = P Y it has
//
//	at home:  mean y_i - A_i/P_ii,                   variance 1/P_ii,
//	at x_j:   mean y_j - s (A_j - P_ij A_i/P_ii),    variance 2s - s^2 (P_jj - P_ij^2/P_ii)
//
// (leaving one out, C. Rasmussen and C. Williams, Gaussian processes for machine learning, 2006,
// 5.4.2). If all jumps together do not increase the likelihood, the half with the larger gains is
// tried, and so on. The time is that of a gradient.
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

// jumps returns the jumps with a gain, largest first, and the likelihood at p. No jump leads to a
// point that jumps itself.
func (m *Model) jumps(p *Point) (all []jump, total float64, err error) {
	noise := m.kernel.Variance(p.Theta)
	if !(noise > 0) || m.missing != nil {
		return nil, 0, errJumpless
	}
	v, outputs := &Value{LogPrior: logPrior(p.X.Data)}, &m.patterns[0]
	m.last.ok = false // the inverse overwrites the factor
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

// Learner is the method Learn or LearnLBFGS of a model.
type Learner func(ctx context.Context, p *Point, s optimize.Settings) (optimize.Result, error)

// LearnJumping learns in rounds of at most s.Steps, with jumps of points after each round, until no
// point jumps. It returns the number of jumps.
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

// passes bounds the repetitions of jumps between two rounds of learning.
const passes = 10

// jumpAll repeats jumps until no point jumps.
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
