package main

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/bench/internal/harness"

	"unfold/internal/vec"
)

// The command runs on normal rows, and the page contains its output. The table of bounds is a file
// of the package.
func TestSmall(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "drift.md")
	var log strings.Builder
	if code := run(context.Background(), []string{"-small", "-out", dir, "-o", page}, &log); code != 0 {
		t.Fatal(code, log.String())
	}
	text, err := harness.ReadPage(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| models/drift |", "| MMD |", "| classifier |", "toy data", "| tree, by permutation |", "less spread, by .8, half"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	// Kept results give the same page.
	if code := run(context.Background(), []string{"-small", "-keep", "-out", dir, "-o", page}, &log); code != 0 {
		t.Fatal(code, log.String())
	}
	if again, err := harness.ReadPage(page); err != nil || string(again) != string(text) {
		t.Errorf("%v; from kept results:\n%s", err, again)
	}
	if code := run(context.Background(), []string{"-o", page, "-data", ""}, &log); code != 2 || !strings.Contains(log.String(), "name the data folder") {
		t.Errorf("without data: %d, %s", code, log.String())
	}
}

// Alarms are counted as first crossings divided by the events until then. A bound is crossed at the
// requested rate.
func TestBounds(t *testing.T) {
	null := []trace{{[]float64{0, 1, 3, 1}, 100, 10}, {[]float64{0, 2, 0, 0}, 100, 10}}
	if got, want := rate(null, 1.5), 2/(120.+110); got != want {
		t.Errorf("rate %v, want %v", got, want)
	}
	if got, want := rate(null, 2.5), 1/(120.+130); got != want {
		t.Errorf("rate %v, want %v", got, want)
	}
	if got := boundFor(null, 200); math.Abs(got-2) > 1e-9 {
		t.Errorf("the bound for 200 events is %v, want 2", got)
	}
	if at, ok := null[0].crossing(.5, 110); at != 120 || !ok {
		t.Errorf("it crosses at %v, %v", at, ok)
	}
}

// The estimate over a sliding window equals the definition, computed from the window's rows.
func TestMMD(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	reference, events := normal(r, 30, 3), normal(r, 25, 3)
	const window, step = 10, 5
	got := watchMMD(reference, events, window, step)
	g := medianKernel(reference)
	mean := func(x, y vec.Matrix[float32], same bool) float64 {
		sum, pairs := 0.0, 0.0
		for i := range x.Rows {
			for j := range y.Rows {
				if !same || i != j {
					sum, pairs = sum+g.of(x.Row(i), y.Row(j)), pairs+1
				}
			}
		}
		return sum / pairs
	}
	if len(got.level) != 4 {
		t.Fatalf("%d looks", len(got.level))
	}
	for l, level := range got.level {
		w := events.Slice(l*step, l*step+window)
		if want := mean(reference, reference, true) + mean(w, w, true) - 2*mean(reference, w, false); math.Abs(level-want) > 1e-12 {
			t.Errorf("look %d: %v, want %v", l, level, want)
		}
	}
	shifted := events.Clone()
	for i := range shifted.Data {
		shifted.Data[i] += 2
	}
	if p, q := testMMD(reference, shifted, 99, 1), testMMD(reference, events, 99, 1); p != .01 || q < .02 {
		t.Errorf("p = %v of shifted rows, %v of others", p, q)
	}
}

// The classifier's weights are where its penalised likelihood has gradient 0. The area under its
// curve is the share of pairs in the right order.
func TestClassifier(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	x, newest := vec.New[float64](200, 3), make([]bool, 200)
	for i := range newest {
		newest[i] = i%4 == 0
		for c := range x.Row(i) {
			x.Row(i)[c] = r.NormFloat64() + .5*float64(c*side(newest[i]))
		}
	}
	w, err := logistic(x, newest)
	if err != nil {
		t.Fatal(err)
	}
	for c := range w {
		slope := -ridge * w[c]
		for i := range newest {
			row := append(slices.Clone(x.Row(i)), 1)
			p := 1 / (1 + math.Exp(-score(w, row)))
			weight := 200. / 2 / map[bool]float64{true: 50, false: 150}[newest[i]]
			slope += weight * (float64(side(newest[i])) - p) * row[c]
		}
		if math.Abs(slope) > 1e-6 {
			t.Errorf("weight %d has the slope %v", c, slope)
		}
	}
	if got := auc([]float64{1, 2, 2, 3}, []bool{false, true, false, true}); got != .875 {
		t.Errorf("area %v, want 0.875", got)
	}
	a, b := normal(r, 300, 4), normal(r, 100, 4)
	for i := range b.Data {
		b.Data[i] += .8
	}
	if p, err := testClassifier(a, b, 99, 3); err != nil || p != .01 {
		t.Errorf("p = %v, %v", p, err)
	}
}

// A constant column has the deviation 0, however its mean is rounded.
func TestMoments(t *testing.T) {
	x := vec.New[float32](2000, 2)
	for i := range x.Rows {
		x.Row(i)[0], x.Row(i)[1] = -.0123, float32(i%2)
	}
	if mean, deviation := moments(x); deviation[0] != 0 || math.Abs(mean[0]+.0123) > 1e-6 || math.Abs(deviation[1]-.5) > 1e-9 {
		t.Errorf("means %v, deviations %v", mean, deviation)
	}
}

// Changes have their stated size from their event on, and changes of the spread keep the mean.
func TestChanges(t *testing.T) {
	d, err := gaussians(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	for k := range changes {
		c := &changes[k]
		_, plain := d.stream(1, 500, 3000, 0, nil)
		ref, events := d.stream(1, 500, 3000, 1000, c)
		if !slices.Equal(events.Slice(0, 1000).Data, plain.Slice(0, 1000).Data) {
			t.Errorf("%s: events before the change are not the others'", c.Name)
		}
		mean, deviation := moments(ref)
		now, spread := moments(events.Slice(1000, 3000))
		was, width := moments(plain.Slice(1000, 3000))
		for j := range mean {
			switch {
			case strings.HasPrefix(c.Name, "shift") && c.gradual == 0:
				if by := math.Abs(now[j]-was[j]) / deviation[j]; math.Abs(by-.3) > 1e-3 {
					t.Errorf("%s: column %d moved by %v", c.Name, j, by)
				}
			case strings.HasPrefix(c.Name, "less"):
				if by := spread[j] / width[j]; math.Abs(by-.8) > 1e-3 {
					t.Errorf("%s: column %d spreads by %v", c.Name, j, by)
				}
			}
		}
		if strings.HasPrefix(c.Name, "new class") {
			came := 0
			for i := 1000; i < 3000; i++ {
				if !slices.Equal(events.Row(i), plain.Row(i)) {
					came++
				}
			}
			want := map[bool]float64{false: 200, true: 100}[c.gradual > 0]
			if math.Abs(float64(came)-want) > 45 {
				t.Errorf("%s: %d events of it, want about %v", c.Name, came, want)
			}
		}
	}
}
