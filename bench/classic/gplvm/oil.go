package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
)

const (
	rbf = "rbf+bias+white"
	mlp = "mlp+bias+white"
	// Iterations of conjugate gradients as in the paper, those of L-BFGS for all flows and for a
	// hundred, rounds of Algorithm 1, and the number of random starts.
	oilSteps     = 100
	oilLBFGS     = 500
	hundredSteps = 300
	oilRounds    = 15
	// Rounds with jumps, for all starts and for the most likely one.
	jumpRounds   = 30
	jumpSteps    = 50
	longerRounds = 4
	longerSteps  = 500
	oilCarried   = 3
	oilRestarts  = 4
	fewRestarts  = 5
)

// Spreads of random starts. From principal components, places move far in any case; from the
// graph's map, hardly.
var (
	oilSpreads = map[string]float64{gplvm.StartPCA: 0.5, gplvm.StartGraph: 0.1}
	fewSpreads = map[string]float64{gplvm.StartPCA: 0.5}
)

// flows reads a part of the oil-flow data: 12 measurements of 1000 flows of three kinds.
func flows(dir, part string) (y vec.Matrix[float64], label []int, err error) {
	if y, err = numbers(filepath.Join(dir, "Data"+part+".txt")); err != nil {
		return y, nil, err
	}
	one, err := numbers(filepath.Join(dir, "Data"+part+"Lbls.txt"))
	if err != nil {
		return y, nil, err
	}
	label = make([]int, y.Rows)
	for i := range label {
		for c, v := range one.Row(i) {
			label[i] += c * int(v)
		}
	}
	return y, label, nil
}

// outcome is a row of a table of starts.
type outcome struct {
	name, file string
	errors     int
	*course
}

// search learns from the named starts, each unchanged and with restarts random changes of the given
// spreads. It returns all outcomes, the most likely first.
func (b *bench) search(ctx context.Context, name string, y vec.Matrix[float64], label []int, spreads map[string]float64, restarts, steps int) ([]outcome, error) {
	var all []outcome
	for _, start := range gplvm.Starts() {
		for seed := range restarts + 1 {
			t := task{kernel: rbf, start: start, seed: uint64(seed), steps: steps, label: label}
			what, file := starts[start], name+"-"+start
			if seed > 0 {
				if t.spread = spreads[start]; t.spread == 0 {
					continue
				}
				what, file = fmt.Sprintf("%s, moved by %g, seed %d", what, t.spread, seed), fmt.Sprintf("%s-%d", file, seed)
			}
			c, err := b.kept(ctx, file, y, t)
			if err != nil {
				return nil, err
			}
			all = append(all, outcome{what, file, mistakes(c.point.X, label), c})
		}
	}
	slices.SortStableFunc(all, func(a, b outcome) int { return cmp.Compare(b.LogLik, a.LogLik) })
	return all, nil
}

// likelihood is the log-likelihood without the prior of the places.
func (c *course) likelihood() float64 {
	return c.LogLik + (vec.SquaredNorm(c.X)+float64(len(c.X))*math.Log(2*math.Pi))/2
}

// mostListed is the number of outcomes in a table: the most likely ones, from which a reader would choose.
const mostListed = 4

// listed is a table of the first outcomes, with the rank correlation over all of them.
func listed(all []outcome) string {
	t := newTable("start", "log-likelihood", "without the prior", "errors", "iterations", "jumps", "time")
	var value, wrong []float64
	for i, o := range all {
		value, wrong = append(value, o.LogLik), append(wrong, float64(o.errors))
		if i >= mostListed {
			continue
		}
		t.row(o.name, fmt.Sprintf("%.1f", o.LogLik), fmt.Sprintf("%.1f", o.likelihood()), fmt.Sprint(o.errors), fmt.Sprint(o.Iterations), fmt.Sprint(o.Moved), o.time())
	}
	if len(all) < 5 {
		return t.String()
	}
	return fmt.Sprintf("%s\nThe rank correlation of log-likelihood and errors is %.2f over all %d.\n", t.String(), rankCorrelation(value, wrong), len(all))
}

// oilFlow is section 7.2.1: the full model of all flows.
func oilFlow(ctx context.Context, b *bench) (string, error) {
	y, label, err := flows(b.oil, "Trn")
	if err != nil {
		return "", err
	}
	paper, err := b.kept(ctx, "oil-scg", y, task{kernel: rbf, start: gplvm.StartPCA, steps: oilSteps, label: label, learn: (*gplvm.Model).Learn})
	if err != nil {
		return "", err
	}
	start, err := paper.model.PCA(2)
	if err != nil {
		return "", err
	}
	t := newTable("1000 flows", "errors", "paper", "log-likelihood", "time")
	t.row("principal components, whitened", fmt.Sprint(mistakes(start, label)), "162", "", "")
	t.row(fmt.Sprintf("full, rbf, %d iterations of conjugate gradients", oilSteps), fmt.Sprint(mistakes(paper.point.X, label)), "1", fmt.Sprintf("%.1f", paper.LogLik), paper.time())
	all, err := b.search(ctx, "oil", y, label, oilSpreads, oilRestarts, oilLBFGS)
	if err != nil {
		return "", err
	}
	t.row(fmt.Sprintf("full, rbf, the most likely of %d starts", len(all)), fmt.Sprint(all[0].errors), "", fmt.Sprintf("%.1f", all[0].LogLik), all[0].time())
	jumped, err := b.carryOn(ctx, "jumped", y, label, all, task{kernel: rbf, rounds: jumpRounds, steps: jumpSteps})
	if err != nil {
		return "", err
	}
	longer, err := b.carryOn(ctx, "longer", y, label, jumped[:oilCarried], task{kernel: rbf, rounds: longerRounds, steps: longerSteps})
	if err != nil {
		return "", err
	}
	best := longer[0]
	search := 0.0
	for _, o := range slices.Concat(all, jumped, longer) {
		search += o.Seconds
	}
	t.row(fmt.Sprintf("the most likely of %d, with jumps, in all", len(all)), fmt.Sprint(best.errors), "", fmt.Sprintf("%.1f", best.LogLik), fmt.Sprintf("%.1f s", search))
	a, err := best.predictor()
	if err != nil {
		return "", err
	}
	picture := filepath.Join(b.figures, "oil.png")
	if err := shade(picture, a, y.Cols, best.point.X, label); err != nil {
		return "", err
	}
	return fmt.Sprintf(`Twelve measurements of each of 1000 oil flows of three kinds, unscaled.

%s
![The map of the most likely full model](gplvm/%s)

Places by kind of flow, over the precision of the model's predictions: lighter is more precise.

The most likely of all starts, at most %d iterations of L-BFGS each. The likelihood does not depend on the kinds:

%s
All fits continue for up to %d rounds of at most %d iterations. Between rounds single points jump to the places of others where the
likelihood is larger, which the gradient cannot find, until no point jumps. The most likely are:

%s
The first %d of these after up to %d rounds of at most %d iterations. The model above is the likeliest of them, with the prior
of the places included; its errors do not count. The prior slowly draws all places together while the kernel's gamma grows; the likelihood itself does not change.

%s`, t.String(), filepath.Base(picture), oilLBFGS, listed(all), jumpRounds, jumpSteps, listed(jumped), len(longer), longerRounds, longerSteps, listed(longer)), nil
}

// carryOn continues learning from outcomes and returns the results, the most likely first.
func (b *bench) carryOn(ctx context.Context, how string, y vec.Matrix[float64], label []int, from []outcome, t task) ([]outcome, error) {
	var all []outcome
	for _, o := range from {
		t.from, t.label = o.point, label
		file := o.file + "-" + how
		c, err := b.kept(ctx, file, y, t)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(b.log, "  %s: %.1f, %d errors, %d moved, %.0f s\n", file, c.LogLik, mistakes(c.point.X, label), c.Moved, c.Seconds)
		all = append(all, outcome{o.name, file, mistakes(c.point.X, label), c})
	}
	slices.SortStableFunc(all, func(a, b outcome) int { return cmp.Compare(b.LogLik, a.LogLik) })
	return all, nil
}

// oilSparse is section 7.2.1 with Algorithm 1.
func oilSparse(ctx context.Context, b *bench) (string, error) {
	y, label, err := flows(b.oil, "Trn")
	if err != nil {
		return "", err
	}
	t := newTable("1000 flows", "errors", "paper", "time")
	var figures []string
	for _, steps := range []int{20, 50} {
		name := fmt.Sprintf("oil-sparse-%d", steps)
		if err := b.sparseErrors(ctx, t, name, y, label, within(100, oilRounds, steps), "24", "14"); err != nil {
			return "", err
		}
		figures = append(figures, fmt.Sprintf("![rbf, %d iterations](gplvm/%s-rbf.png) ![mlp, %d iterations](gplvm/%s-mlp.png)", steps, name, steps, name))
	}
	return fmt.Sprintf(`All flows with an active set of 100, %d rounds of Algorithm 1, as in the paper, which does not say how many iterations the kernel
and each point take in a round. Places jump when the active set changes, so errors differ a little from round to round.

%s
%s

Maps with the kernels rbf and mlp (figure 3), over the precision of the predictions: above with fewer iterations, below with more.
`, oilRounds, t.String(), strings.Join(figures, "\n\n")), nil
}

// oilHundred is section 7.2.3: every tenth flow, from several starts.
func oilHundred(ctx context.Context, b *bench) (string, error) {
	y, label, err := b.hundred()
	if err != nil {
		return "", err
	}
	all, err := b.search(ctx, "hundred", y, label, fewSpreads, fewRestarts, hundredSteps)
	if err != nil {
		return "", err
	}
	start, err := all[0].model.PCA(2)
	if err != nil {
		return "", err
	}
	if err := b.dots("hundred-pca", start, label); err != nil {
		return "", err
	}
	a, err := all[0].predictor()
	if err != nil {
		return "", err
	}
	if err := shade(filepath.Join(b.figures, "hundred-gp.png"), a, y.Cols, all[0].point.X, label); err != nil {
		return "", err
	}
	return fmt.Sprintf(`Every tenth flow, at most %d iterations. Principal components make %d errors. The paper has, for another choice of 100, 20
errors of principal components and 4 of the full model; the most likely one here makes %d.

%s
![Principal components](gplvm/hundred-pca.png) ![The most likely full model](gplvm/hundred-gp.png)

A hundred flows by whitened principal components and by the most likely full model, over its precision (figure 1 a and b).
`, hundredSteps, mistakes(start, label), all[0].errors, listed(all)), nil
}
