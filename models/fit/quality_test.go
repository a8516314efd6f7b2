package fit

import (
	"context"
	"math"
	"testing"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/saul"
	"unfold/models/score"
	"unfold/sparse/graph"
)

// placed learns a map of train and places test by each rule. It returns the 9-NN error of the
// placed labels among the learnt ones.
func placed(t *testing.T, spec Spec, train vec.Matrix[float32], trainClass []int32, test vec.Matrix[float32], testClass []int32) map[placing.Rule]float64 {
	t.Helper()
	ctx := context.Background()
	clock := time.Now()
	s, r, err := Fit(ctx, train, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("learnt %d points in %d dimensions, %d steps: %.1f s", r.Report.Unique, r.Report.Dims, r.Report.Iterations, time.Since(clock).Seconds())
	out := map[placing.Rule]float64{}
	for _, rule := range rulesFor(s) {
		p, err := Open(s, placing.Options{Rule: rule})
		if err != nil {
			t.Fatal(err)
		}
		clock = time.Now()
		got, err := p.Place(ctx, test)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(clock).Seconds()
		errs, err := score.HeldOutError(ctx, r.Placed.Mu, trainClass, got.Mu, testClass, []int{1, 9}, score.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %d placed in %.2f s, test error 1-NN %.4f, 9-NN %.4f", rule, test.Rows, took, errs[0], errs[1])
		out[rule] = errs[1]
	}
	return out
}

// The bundled digits: the 9-NN error in the 784 pixels is 11.4%. With so few digits, the map in
// five dimensions is better than in two.
func TestDigitsArePlacedAmongTheirKind(t *testing.T) {
	if raceEnabled {
		t.Skip("measures quality, which takes a minute with -race")
	}
	train, trainClass, test, testClass := modeltest.Digits(t)
	for _, c := range []struct {
		dims, core int
		most       float64
	}{{2, 1, 0.18}, {5, 2, 0.14}} {
		e := placed(t, Spec{PCA: DefaultPCA, Common: models.Common{Dims: c.dims, Steps: 100, Seed: 1}, LVM: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Core: c.core, Level: 1}}}, train, trainClass, test, testClass)
		if e[placing.Median] > c.most || e[placing.EM] > c.most+0.05 {
			t.Errorf("d=%d: 9-NN test errors %v, want at most %g by the median", c.dims, e, c.most)
		}
	}
	for _, c := range []struct {
		dims int
		most float64
	}{{2, 0.12}, {3, 0.12}, {10, 0.105}} {
		// The test compares the placing: the bounds were measured with as many components.
		e := placed(t, Spec{PCA: DefaultPCA, Common: models.Common{Dims: c.dims, Seed: 1}}, train, trainClass, test, testClass)
		if e[placing.Robust] > c.most || e[placing.LLE] > c.most {
			t.Errorf("heavy tails, d=%d: 9-NN test errors %v, want at most %g", c.dims, e, c.most)
		}
	}
}

// TestMNISTIsPlacedAmongItsKind learns some of MNIST's training digits and places the 10,000 of the
// test set. Joint maps of all 70,000 are tested in package lvm. The bounds are a tenth above the
// measured errors.
func TestMNISTIsPlacedAmongItsKind(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes minutes: not with -short or -race")
	}
	train, trainClass, test, testClass := modeltest.MNIST(t)
	gaussian := func(core int) lvm.Options {
		return lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Level: 1, Core: core}}
	}
	for _, c := range []struct {
		name   string
		learnt int
		spec   Spec
		rule   placing.Rule
		most   float64
	}{
		{"gaussian, d=2", 20_000, Spec{LVM: gaussian(0)}, placing.Median, 0.060},
		{"gaussian, d=10", 20_000, Spec{Common: models.Common{Dims: 10, Steps: 150}, LVM: gaussian(2)}, placing.Median, 0.043},
		{"student, d=2", 20_000, Spec{Common: models.Common{Dims: 2, Seed: 1}}, placing.Robust, 0.040},
		{"student, d=10", 10_000, Spec{Common: models.Common{Dims: 10, Seed: 1}}, placing.LLE, 0.048},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := placed(t, c.spec, train.Slice(0, c.learnt), trainClass[:c.learnt], test, testClass)
			if e[c.rule] > c.most {
				t.Errorf("9-NN test error %.4f, want at most %g", e[c.rule], c.most)
			}
		})
	}
}

// standardize scales the columns of all to mean 0 and variance 1 over the rows of some. Columns
// that are constant there become 0.
func standardize(some vec.Matrix[float32], all ...vec.Matrix[float32]) {
	n := float64(some.Rows)
	mean, square := make([]float64, some.Cols), make([]float64, some.Cols)
	for i := range some.Rows {
		for j, v := range some.Row(i) {
			mean[j] += float64(v) / n
			square[j] += float64(v) * float64(v) / n
		}
	}
	for _, m := range all {
		for i := range m.Rows {
			for j, v := range m.Row(i) {
				m.Row(i)[j] = 0
				if s := square[j] - mean[j]*mean[j]; s > 1e-9 {
					m.Row(i)[j] = float32((float64(v) - mean[j]) / math.Sqrt(s))
				}
			}
		}
	}
}

// A map of half of the normal connections of the bundled KDD Cup 1999 sample is tested on the other
// half and on attacks. Attacks have a higher novelty.
func TestAttacksAreNovel(t *testing.T) {
	if raceEnabled {
		t.Skip("measures quality, which takes a minute with -race")
	}
	ctx := context.Background()
	x, attack := modeltest.Connections(t)
	unique, _, _ := graph.Collapse(x)
	var known, normal, attacks []int32
	for _, i := range unique {
		switch {
		case attack[i]:
			attacks = append(attacks, i)
		case len(known) <= len(normal):
			known = append(known, i)
		default:
			normal = append(normal, i)
		}
	}
	train := vec.Take(x, known)
	events := []vec.Matrix[float32]{vec.Take(x, attacks), vec.Take(x, normal)}
	standardize(train.Clone(), append(events, train)...)
	s, _, err := Fit(ctx, train, Spec{Common: models.Common{Steps: 10}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var local, global [2][]float64
	for m, e := range events {
		var got models.Placed
		if got, err = p.Place(ctx, e); err != nil {
			t.Fatal(err)
		}
		for i := range e.Rows {
			local[m] = append(local[m], float64(got.NoveltyLocal[i]))
			global[m] = append(global[m], float64(got.NoveltyGlobal[i]))
		}
	}
	aucLocal, err := score.AUC(local[0], local[1])
	if err != nil {
		t.Fatal(err)
	}
	aucGlobal, err := score.AUC(global[0], global[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d attacks against %d normal connections, %d learnt: AUC local %.3f, global %.3f", len(attacks), len(normal), s.Reference.Rows, aucLocal, aucGlobal)
	if aucLocal < 0.85 || aucGlobal < 0.95 {
		t.Errorf("AUC local %.3f and global %.3f, want at least 0.85 and 0.95", aucLocal, aucGlobal)
	}
	// Percentiles are calibrated on events of the learnt kind.
	beyond := 0
	for _, v := range global[1] {
		if v > 0.95 {
			beyond++
		}
	}
	if share := float64(beyond) / float64(len(global[1])); share < 0.02 || share > 0.1 {
		t.Errorf("%.3f of the normal connections lie beyond the 95%% percentile", share)
	}
}
