package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// A domain classifier learns to distinguish the newest events from reference rows on one half of
// both, and is judged on the other by the area under its ROC curve (Lopez-Paz and Oquab,
// "Revisiting classifier two-sample tests", ICLR 2017): logistic regression on standardised
// columns, both samples having equal weight.

// ridge is the weight of a penalty on squared weights. It keeps weights of constant columns finite.
const ridge = 1

// Newton's method ends after the largest number of steps, or when a step gains less than a share of
// the likelihood.
const (
	newton = 25
	gained = 1e-9
)

// problem is a regression: rows with a last column of 1, weighted so that both sides count the
// same.
type problem struct {
	x      vec.Matrix[float64]
	newest []bool
	weight [2]float64
}

func newProblem(x vec.Matrix[float64], newest []bool) *problem {
	p := &problem{x: vec.New[float64](x.Rows, x.Cols+1), newest: newest}
	for i, is := range newest {
		p.x.Row(i)[copy(p.x.Row(i), x.Row(i))] = 1
		p.weight[side(is)]++
	}
	for s, n := range p.weight {
		p.weight[s] = float64(x.Rows) / (2 * n)
	}
	return p
}

// likelihood returns the log-likelihood with the prior.
func (p *problem) likelihood(w []float64) float64 {
	l := -ridge / 2. * score(w, w)
	for i, is := range p.newest {
		t := score(w, p.x.Row(i))
		if is {
			t = -t
		}
		l -= p.weight[side(is)] * (max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))))
	}
	return l
}

// step returns Newton's step from the given weights.
func (p *problem) step(w []float64) (*mat.VecDense, error) {
	gradient, hessian := mat.NewVecDense(len(w), nil), mat.NewSymDense(len(w), nil)
	for c := range w {
		gradient.SetVec(c, -ridge*w[c])
		hessian.SetSym(c, c, ridge)
	}
	for i, is := range p.newest {
		row, weight := p.x.Row(i), p.weight[side(is)]
		q := 1 / (1 + math.Exp(-score(w, row)))
		gradient.AddScaledVec(gradient, weight*(float64(side(is))-q), mat.NewVecDense(len(w), row))
		hessian.SymRankOne(hessian, weight*q*(1-q), mat.NewVecDense(len(w), row))
	}
	var chol mat.Cholesky
	if !chol.Factorize(hessian) {
		return nil, fmt.Errorf("the classifier's system of %d weights has no solution", len(w))
	}
	step := mat.NewVecDense(len(w), nil)
	return step, chol.SolveVecTo(step, gradient)
}

// logistic fits weights, the last of which is the constant. A step that lowers the likelihood is
// halved.
func logistic(x vec.Matrix[float64], newest []bool) ([]float64, error) {
	p := newProblem(x, newest)
	w := make([]float64, p.x.Cols)
	reached := p.likelihood(w)
	for range newton {
		step, err := p.step(w)
		if err != nil {
			return nil, err
		}
		next, now := make([]float64, len(w)), math.Inf(-1)
		for size := 1.0; size > gained && !(now >= reached); size /= 2 {
			for c := range w {
				next[c] = w[c] + size*step.AtVec(c)
			}
			now = p.likelihood(next)
		}
		if !(now > reached) {
			return w, nil
		}
		small := now-reached < gained*math.Abs(reached)
		if w, reached = next, now; small {
			return w, nil
		}
	}
	return w, nil
}

func side(newest bool) int {
	if newest {
		return 1
	}
	return 0
}

func score(w, row []float64) (s float64) {
	for c, v := range row {
		s += w[c] * v
	}
	return s
}

// auc returns the area under the ROC curve of scores: the share of pairs in the right order, with
// ties counted half (Mann and Whitney).
func auc(scores []float64, newest []bool) float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	var below, inOrder, positives float64
	for from := 0; from < len(order); {
		to := from
		var both [2]float64
		for ; to < len(order) && scores[order[to]] == scores[order[from]]; to++ {
			both[side(newest[order[to]])]++
		}
		inOrder += both[1] * (below + both[0]/2)
		below, positives = below+both[0], positives+both[1]
		from = to
	}
	return inOrder / (below * positives)
}

// classify fits the classifier on every second row, in a random order, and returns the scores of
// the others.
func classify(reference, events vec.Matrix[float32], seed uint64) (scores []float64, newest []bool, err error) {
	mean, deviation := moments(reference)
	var x [2]vec.Matrix[float64]
	var is [2][]bool
	r := rand.New(rand.NewPCG(seed, 0xc2))
	for sample, from := range []vec.Matrix[float32]{reference, events} {
		for k, i := range r.Perm(from.Rows) {
			half := &x[k%2]
			half.Rows, half.Cols = half.Rows+1, from.Cols
			for c, v := range from.Row(i) {
				z := float64(v) - mean[c]
				if deviation[c] > 0 {
					z /= deviation[c]
				}
				half.Data = append(half.Data, z)
			}
			is[k%2] = append(is[k%2], sample == 1)
		}
	}
	w, err := logistic(x[0], is[0])
	if err != nil {
		return nil, nil, err
	}
	for i := range x[1].Rows {
		scores = append(scores, score(w[:x[1].Cols], x[1].Row(i))+w[x[1].Cols])
	}
	return scores, is[1], nil
}

// watchClassifier returns the area at every look at a sliding window.
func watchClassifier(reference, events vec.Matrix[float32], window, step int) (trace, error) {
	t := trace{first: window, step: step}
	for end := window; end <= events.Rows; end += step {
		scores, newest, err := classify(reference, events.Slice(end-window, end), uint64(end))
		if err != nil {
			return t, err
		}
		t.level = append(t.level, auc(scores, newest))
	}
	return t, nil
}

// testClassifier is the permutation test of one window. It permutes the rows that were not used for
// fitting, which are exchangeable given the classifier.
func testClassifier(reference, events vec.Matrix[float32], rounds int, seed uint64) (float64, error) {
	scores, newest, err := classify(reference, events, seed)
	if err != nil {
		return 0, err
	}
	found, more := auc(scores, newest), 1
	r := rand.New(rand.NewPCG(seed, 0xa0c))
	for range rounds {
		r.Shuffle(len(newest), func(i, j int) { newest[i], newest[j] = newest[j], newest[i] })
		if auc(scores, newest) >= found {
			more++
		}
	}
	return float64(more) / float64(rounds+1), nil
}
