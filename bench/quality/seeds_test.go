package main

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
)

// A figure is the median over seeds. Its standard error combines those of a mean over the seeds and
// of the sample. A lead below two standard errors of both counts as equal.
func TestFiguresOfSeeds(t *testing.T) {
	b := &bench{results: map[string]*result{}}
	put := func(method string, err float64, values ...float64) {
		for i, v := range values {
			b.results[mapName("set", method, i+1)] = &result{Figures: map[string]float64{nn1: v}, Errors: map[string]float64{nn1: err}}
		}
	}
	f := figure{nn1, "1-NN", false}
	put("a", .004, .91, .90, .94)
	e, known := b.value("set", "a", f)
	// Deviations of -1/150, -1/60 and 7/300 from the mean: a variance of .0013/3.
	if want := math.Hypot(.004, math.Sqrt(.0013/9)); !known || e.value != .91 || math.Abs(e.err-want) > 1e-12 {
		t.Errorf("%+v, %v, want .91 +- %g", e, known, want)
	}
	if e, _ = b.value("set", "a", figure{nn1, "1-NN error", true}); e.value != -.91 {
		t.Errorf("an error is %g", e.value)
	}
	if _, known = b.value("set", "b", f); known {
		t.Error("what was not measured is known")
	}
	put("b", .003, .95, .95)
	put("c", .003, .9585, .9585, .9585)
	all := []method{{key: "a"}, {key: "b"}, {key: "c"}}
	// c is ahead of b by .0085, with two standard errors of .0085 (rounded up), and of a by .0485,
	// with .0262.
	if got := b.firsts("set", all, f); !slices.Equal(got, []string{"c"}) {
		t.Errorf("first are %q", got)
	}
	put("b", .0031, .95, .95)
	if got := b.firsts("set", all, f); !slices.Equal(got, []string{"c", "b"}) {
		t.Errorf("within two standard errors first are %q", got)
	}
}

// Every set was looked at while the defaults were chosen, and the page says so.
func TestLookedAt(t *testing.T) {
	for _, d := range datasets("") {
		if !slices.Contains(lookedAt, d.name) {
			t.Errorf("%s was not looked at", d.title)
		}
	}
}

// A sample has rows in their order with their labels, and is the same each time.
func TestSampleOfATable(t *testing.T) {
	d := &table{x: vec.New[float32](100, 1), names: []string{"u"}}
	for i := range 100 {
		d.x.Row(i)[0] = float32(i)
		d.label, d.known = append(d.label, string(rune('a'+i%26))), append(d.known, []float64{float64(i)})
	}
	s := d.sample(30)
	if s.check() != nil || s.x.Rows != 30 || !slices.IsSorted(s.x.Data) || !slices.Equal(s.x.Data, d.sample(30).x.Data) {
		t.Fatalf("%v", s.x.Data)
	}
	for i, v := range s.x.Data {
		if s.known[i][0] != float64(v) || s.label[i] != d.label[int(v)] {
			t.Errorf("row %g is known as %v, %q", v, s.known[i], s.label[i])
		}
	}
}
