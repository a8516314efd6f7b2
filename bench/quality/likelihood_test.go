package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// Three reference points at 0, 1, 9 of the input and at (0,0), (2,0), (0,4) of the map. An event
// has the input 0.4, so its true neighbours are the first two.
func TestHeldOutLikelihoodByHand(t *testing.T) {
	s := &snapshot.Snapshot{
		Mu:         vec.Of(3, 2, []float64{0, 0, 2, 0, 0, 4}),
		Sigma2:     []float64{.1, .3, .5},
		Bandwidth2: []float64{2, 6, 70},
	}
	near, err := knn.NewExact(vec.Of(3, 1, []float32{0, 1, 9})).Search(t.Context(), vec.Of(1, 1, []float32{.4}), 2, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	event := vec.Of(1, 2, []float32{1, 0})
	// The mean variance of both neighbours is .2, their scales are 4. Distances^2 on the map are 1,
	// 1, 17.
	logs := []float64{-math.Log(4.3) - 1/8.6, -math.Log(4.5) - 1/9., -math.Log(4.7) - 17/9.4}
	if got, want := heldOutLikelihood(s, event, near, 2), meanOfTwo(logs); math.Abs(got-want) > 1e-12 {
		t.Errorf("Gaussian: %g, want %g", got, want)
	}
	// Heavy tails: scales 2/2 and 6/2, of which the mean is 2; P is
	// delta^2/(delta^2 + sigma^2 + sigma'^2 + r^2/2).
	s.Student = &snapshot.Student{Tail: 1, Unit: 2, Clip: [2]float64{.1, 10}}
	logs = []float64{-math.Log(2.3 + .5), -math.Log(2.5 + .5), -math.Log(2.7 + 8.5)}
	if got, want := heldOutLikelihood(s, event, near, 1), meanOfTwo(logs); math.Abs(got-want) > 1e-12 {
		t.Errorf("heavy tails: %g, want %g", got, want)
	}
	if got := scale2(s, 2); got != 10 {
		t.Errorf("a scale of 35 is clipped to %g", got)
	}
}

// meanOfTwo is the mean of the first two of logs, less the log of the sum of all.
func meanOfTwo(logs []float64) float64 {
	var sum float64
	for _, l := range logs {
		sum += math.Exp(l)
	}
	return (logs[0]+logs[1])/2 - math.Log(sum)
}

func TestRankCorrelation(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 9}, []float64{0, 5, 6}, 1}, {[]float64{1, 2, 9}, []float64{7, 5, 0}, -1},
		{[]float64{1, 2, 3}, []float64{1, 1, 1}, 0}, {[]float64{1, 2, 3}, []float64{4, 4, 9}, math.Sqrt(3) / 2},
	} {
		if got := rankCorrelation(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: %g, want %g", c.a, c.b, got, c.want)
		}
	}
}

// The page states the cost of choosing by likelihood, and draws it.
func TestLikelihoodSection(t *testing.T) {
	b := &bench{folder: "page", results: map[string]*result{}}
	for i, m := range studySettings() {
		v := float64(i) / 100
		b.results[studyName("oil", m)] = &result{Figures: map[string]float64{loglik: -5 + v, nn9: .9 + v/10, trust: .99 - v/10}}
	}
	var w bytes.Buffer
	b.writeLikelihood(&w)
	for _, want := range []string{
		"| oil | 1.00 | -1.00 | k = 15, Gaussian | 0.9200, 0.9200 (k = 15, Gaussian), 0.9000 | 0.9700, 0.9900 (defaults), 0.9900 |",
		"within 0.002 of the best of both figures on 0 of 1 sets; against the defaults it changes 9-NN by +0.0200",
		"trustworthiness by -0.0200 in the mean. So it is no safe way", "](page/likelihood.svg)",
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("the section lacks %q:\n%s", want, &w)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "page"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := b.drawLikelihood(filepath.Join(dir, "page.md")); err != nil {
		t.Fatal(err)
	}
	picture, err := os.ReadFile(filepath.Join(dir, "page", likelihoodPicture))
	if err != nil || strings.Count(string(picture), "<circle") != 2*len(studySettings()) || strings.Contains(string(picture), "NaN") {
		t.Errorf("the picture: %v\n%s", err, picture)
	}
	w.Reset()
	(&bench{results: map[string]*result{}}).writeLikelihood(&w)
	if w.Len() > 0 {
		t.Errorf("a section of nothing: %s", &w)
	}
}

// Of equal rows the first in the order is kept, whatever the sign of a zero.
func TestDifferentRows(t *testing.T) {
	zero := float32(math.Copysign(0, -1))
	x := vec.Of(5, 2, []float32{1, 2, 0, 1, 1, 2, zero, 1, 2, 1})
	for most, want := range map[int][]int{9: {4, 3, 2}, 2: {4, 3}} {
		if got := differentRows(x, []int{4, 3, 2, 1, 0}, most); !slices.Equal(got, want) {
			t.Errorf("at most %d: %v, want %v", most, got, want)
		}
	}
}
