package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/kernel"
)

// trial is Table 5 with one change that may explain the order of its noise models.
type trial struct {
	key, what string
	learnt    int     // twos that are learnt; the others are placed
	ink       float64 // the grey value from which a pixel is ink
	seed      uint64  // of the pixels that are removed
	rounds    int     // of Algorithm 1
	steps     int     // iterations in a round
	random    bool    // places start from random learnt twos instead of the nearest
	swapped   bool    // each noise model predicts with the places that the other has learnt
	placed    bool    // each noise model predicts at the places that the other found for the twos
	evidence  bool    // the kernel maximises ln Z of the values (17) instead of the likelihood of the sites (11)
	chosen    string  // the active set: that of the noise model itself, or another one below
	predict   int     // if not 0, the size of the active set that predicts
	unbiased  bool    // predictions are without the bias
}

// Active sets that the noise model has not selected.
const (
	chosenByOther  = "other"
	chosenAtRandom = "random"
)

const (
	twosActive = 100
	// twosSeed is the seed of the pixels that binaryTwos removes.
	twosSeed = 2
)

// trials returns the trials, with one change each. Parameters that the paper does not give are
// those of binaryTwos.
func trials() (list []trial) {
	for _, c := range []struct {
		key, what string
		change    func(t *trial)
	}{
		{"base", "nothing", func(*trial) {}},
		{"pixels", "other pixels are removed", func(t *trial) { t.seed = 3 }},
		{"few", "529 twos are learnt, 400 placed, as many as in the paper", func(t *trial) { t.learnt = 529 }},
		{"dark", "ink from a grey value of -0.8", func(t *trial) { t.ink = -0.8 }},
		{"short", "5 rounds", func(t *trial) { t.rounds = 5 }},
		{"long", "60 iterations in a round", func(t *trial) { t.steps = 60 }},
		{"apart", "places are searched for from 10 learnt twos at random", func(t *trial) { t.random = true }},
		{"evidence", "the kernel is fitted to ln Z of the values (17)", func(t *trial) { t.evidence = true }},
		{"swapped", "by places that the other noise has learnt", func(t *trial) { t.swapped = true }},
		{"placed", "where the other noise has placed the twos", func(t *trial) { t.placed = true }},
		{"chosen", "the active set that the other noise chooses", func(t *trial) { t.chosen = chosenByOther }},
		{"random", "an active set at random", func(t *trial) { t.chosen = chosenAtRandom }},
		{"darkrandom", "that, and ink from a grey value of -0.8", func(t *trial) { t.ink, t.chosen = -0.8, chosenAtRandom }},
		{"more", "300 active points predict", func(t *trial) { t.predict = 300 }},
		{"unbiased", "the bias is left out of predictions", func(t *trial) { t.unbiased = true }},
	} {
		t := trial{key: c.key, what: c.what, learnt: twosLearnt, ink: inkFrom, seed: twosSeed, rounds: twosRounds, steps: 20}
		c.change(&t)
		list = append(list, t)
	}
	return list
}

// shares are the shares of removed pixels with wrong predictions: for each noise model, for no ink,
// and for the more frequent value of the pixel.
type shares struct{ Probit, Gaussian, NoInk, Usual float64 }

// noises are those of Table 5.
var noises = []gplvm.Noise{gplvm.Probit{Variance: gplvm.DefaultVariance}, gplvm.Gaussian{Variance: gplvm.DefaultVariance}}

// try runs a trial, or reads its stored result.
func (b *bench) try(ctx context.Context, t trial) (o shares, err error) {
	path := filepath.Join(b.out, "twos-"+t.key+".json")
	raw, err := os.ReadFile(path)
	switch {
	case err == nil && !b.again:
		return o, json.Unmarshal(raw, &o)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return o, err
	}
	fmt.Fprintf(b.log, "  %s\n", t.what)
	d, err := b.removed(t.ink, t.learnt, t.seed)
	if err != nil {
		return o, err
	}
	o.NoInk = d.share(func(i, c int) float64 { return -1 })
	o.Usual = d.share(func(i, c int) float64 {
		return stat.Mean(mat.Col(nil, c, mat.NewDense(d.train.Rows, d.train.Cols, d.train.Data)), nil)
	})
	of := []*float64{&o.Probit, &o.Gaussian}
	for i := range noises {
		if *of[i], err = b.tryNoise(ctx, t, d, i); err != nil {
			return o, err
		}
	}
	if raw, err = json.Marshal(o); err != nil {
		return o, err
	}
	return o, os.WriteFile(path, raw, 0o666)
}

// tryNoise returns the share of pixels that one noise model predicts wrongly.
func (b *bench) tryNoise(ctx context.Context, t trial, d *removed, number int) (float64, error) {
	by := number
	if t.swapped {
		by = 1 - number
	}
	p, err := b.twosPlaces(ctx, t, d, noises[by])
	if err != nil {
		return 0, err
	}
	a, err := b.twosProcess(ctx, t, p, d.train, number)
	if err != nil {
		return 0, err
	}
	starts := func(_ int, row []float64) []int { return nearest(row, d.train, twosStarts) }
	if t.random {
		starts = func(i int, _ []float64) []int {
			return rand.New(rand.NewPCG(1, uint64(i))).Perm(p.X.Rows)[:twosStarts]
		}
	}
	placer := a
	if t.placed {
		if placer, err = b.refitted(ctx, p, d.train, noises[1-number], twosActive); err != nil {
			return 0, err
		}
	}
	l, err := b.locateFrom(ctx, placer, d.holes, p.X, starts)
	if err != nil {
		return 0, err
	}
	w, mean, variance := a.NewScratch(), vec.New[float64](d.rest.Rows, d.rest.Cols), make([]float64, d.rest.Cols)
	for i := range mean.Rows {
		a.Predict(mean.Row(i), variance, l.x.Row(i), w)
		if !t.unbiased {
			vec.Axpy(1, a.Bias(), mean.Row(i))
		}
	}
	return d.share(func(i, c int) float64 { return mean.Row(i)[c] }), nil
}

// twosProcess returns the process for predictions in a trial, from the places p of the rows of y.
func (b *bench) twosProcess(ctx context.Context, t trial, p *gplvm.Point, y vec.Matrix[float64], number int) (*gplvm.Active, error) {
	s, err := b.ivm(noises[number], y)
	if err != nil {
		return nil, err
	}
	switch {
	case t.swapped || t.predict > 0:
		return b.refitted(ctx, p, y, noises[number], max(twosActive, t.predict))
	case t.evidence:
		return b.byEvidence(s, p)
	case t.chosen == chosenAtRandom:
		rows := make([]int32, twosActive)
		for i, r := range rand.New(rand.NewPCG(4, 4)).Perm(y.Rows)[:twosActive] {
			rows[i] = int32(r)
		}
		return s.Include(p.Theta, p.X, rows).Active(p.Theta, p.X)
	case t.chosen == chosenByOther:
		other, err := b.ivm(noises[1-number], y)
		if err != nil {
			return nil, err
		}
		return s.Include(p.Theta, p.X, other.Select(p.Theta, p.X, twosActive).Order).Active(p.Theta, p.X)
	}
	return s.Select(p.Theta, p.X, twosActive).Active(p.Theta, p.X)
}

// ivm is the sparse model of the rows of y.
func (b *bench) ivm(noise gplvm.Noise, y vec.Matrix[float64]) (*gplvm.Sparse, error) {
	k, err := kernel.Parse(rbf)
	if err != nil {
		return nil, err
	}
	return gplvm.NewSparse(k, noise, y, b.threads), nil
}

// refitted returns the process of an active set at the learnt places, with kernel parameters fitted
// to them.
func (b *bench) refitted(ctx context.Context, p *gplvm.Point, y vec.Matrix[float64], noise gplvm.Noise, active int) (*gplvm.Active, error) {
	s, err := b.ivm(noise, y)
	if err != nil {
		return nil, err
	}
	// A round fits the kernel before it moves places. Moved places are discarded with the copy.
	fitted := &gplvm.Point{Theta: slices.Clone(p.Theta), X: p.X.Clone()}
	if _, err := s.Learn(ctx, fitted, gplvm.SparseSettings{Active: twosActive, Rounds: 1, KernelSteps: 50, PointSteps: 1}); err != nil {
		return nil, err
	}
	return s.Select(fitted.Theta, p.X, active).Active(fitted.Theta, p.X)
}

// byEvidence returns the process of an active set after a coordinate search over the kernel's
// parameters, by factors, as long as ln Z grows by a thousandth.
func (b *bench) byEvidence(s *gplvm.Sparse, p *gplvm.Point) (*gplvm.Active, error) {
	theta, best := slices.Clone(p.Theta), s.Select(p.Theta, p.X, twosActive)
	for _, factor := range []float64{2, 0.5, 1.3, 1 / 1.3} {
		for c := range theta {
			for {
				moved := slices.Clone(theta)
				moved[c] *= factor
				q := s.Select(moved, p.X, twosActive)
				if !(q.LogZ > best.LogZ+1e-3*math.Abs(best.LogZ)) {
					break
				}
				best, theta = q, moved
			}
		}
	}
	fmt.Fprintf(b.log, "  ln Z %.1f at %.4g, learnt %.4g\n", best.LogZ, theta, p.Theta)
	return best.Active(theta, p.X)
}

// twosPlaces learns twos with Algorithm 1, unless a trial with the same learning has stored the
// result.
func (b *bench) twosPlaces(ctx context.Context, t trial, d *removed, noise gplvm.Noise) (*gplvm.Point, error) {
	path := filepath.Join(b.out, fmt.Sprintf("twos-%s-%d-%g-%d-%d-%d.json", noise.Name(), t.learnt, t.ink, twosActive, t.rounds, t.steps))
	p := &gplvm.Point{}
	if raw, err := os.ReadFile(path); err == nil && !b.again {
		if err := json.Unmarshal(raw, p); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return p, nil
	}
	x, a, err := b.sparse(ctx, rbf, noise, d.train, within(twosActive, t.rounds, t.steps))
	if err != nil {
		return nil, err
	}
	p.Theta, p.X = a.Theta(), x
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(path, raw, 0o666)
}

// twosOrder examines why the noise models of Table 5 are in the opposite order here.
func twosOrder(ctx context.Context, b *bench) (string, error) {
	t := newTable("what is changed", "probit noise", "Gaussian noise", "the usual value", "no ink")
	share := func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }
	of, ahead, own, gap := map[string]shares{}, 0, span{1, 0}, span{1, -1}
	for _, c := range trials() {
		o, err := b.try(ctx, c)
		if err != nil {
			return "", err
		}
		of[c.key] = o
		t.row(c.what, share(o.Probit), share(o.Gaussian), share(o.Usual), share(o.NoInk))
		if o.Probit < o.Gaussian {
			ahead++
		}
		if !c.unbiased {
			own, gap = own.with(o.Gaussian), gap.with(o.Probit-o.Gaussian)
		}
	}
	d, err := b.removed(inkFrom, twosLearnt, twosSeed)
	if err != nil {
		return "", err
	}
	base, random, dark := of["base"], of["random"], of["darkrandom"]
	deviation := math.Sqrt(base.Probit * (1 - base.Probit) / float64(d.missing))
	return fmt.Sprintf(`In the paper probit noise is ahead of Gaussian noise, by 23.5 to 35.9 %%; here it is behind. So the experiment is repeated, with one
thing changed at a time. Shares are of %d pixels; one standard deviation is %.1f points. The first row is the experiment above, learnt
again. The usual value is the more frequent one of the pixel among the learnt twos.

%s
Probit noise reaches the paper's share. Gaussian noise does not: the paper's 35.9 %% is not reproduced. Here its shares are
%.1f to %.1f %%, and %.1f %% if its bias is left out. Probit noise is ahead in %d of %d trials%s, which excludes the numbers of twos, the pixels
removed, the ink, the iterations and the starts as causes. The paper's collection of digits, which is not at hand, is not excluded.

Probit noise makes up to %.1f points more errors, even if the kernel's fit, the learnt places, the placing or the active set is changed. The cause is unknown. With a random active set, instead of the one that reduces entropy most, shares are %.1f and %.1f %%, and
%.1f and %.1f %% of the darker twos.
`, d.missing, 100*deviation, t.String(), 100*own[0], 100*own[1], 100*of["unbiased"].Gaussian, ahead, len(of), lead(-gap[0], deviation),
		100*gap[1], 100*random.Probit, 100*random.Gaussian, 100*dark.Probit, 100*dark.Gaussian), nil
}

// lead describes the largest lead of probit noise, if there is one.
func lead(share, deviation float64) string {
	switch {
	case share <= 0:
		return ""
	case share < deviation:
		return ", by less than one standard deviation"
	}
	return fmt.Sprintf(", by up to %.1f points", 100*share)
}

// span is the range of some values.
type span [2]float64

func (s span) with(v float64) span { return span{min(s[0], v), max(s[1], v)} }
