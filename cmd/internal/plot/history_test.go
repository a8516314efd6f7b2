package plot

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
)

func sampleHistory() History {
	return History{
		Title: "A map", Subtitle: "4 versions", Along: "version", At: []float64{1, 2, 3, 7}, Marks: []float64{3},
		Panels: []Panel{
			{Title: "Moves", Series: []Series{{"median", []float64{0, .1, .2, .1}}, {"p99", []float64{math.NaN(), 1, math.NaN(), 9}}}},
			{Title: "Novel", Series: []Series{{"share", []float64{.05, .04, .07, .05}}}, Level: .05},
			{Title: "Likelihood", Series: []Series{{"per pair", []float64{-3, -2.9, -2.8, -2.7}}}},
		},
	}
}

func TestHistory(t *testing.T) {
	var b bytes.Buffer
	if err := HistorySVG(&b, sampleHistory(), Settings{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A map", "4 versions", "Moves", "median", "p99", "Novel", "Likelihood", "version", "-2.8"} {
		if !strings.Contains(b.String(), ">"+want+"<") {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if strings.Contains(b.String(), "NaN") {
		t.Error("there is a NaN in the picture")
	}
	b.Reset()
	if err := HistoryPNG(&b, sampleHistory(), Settings{Width: 640, Height: 480}); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil || img.Bounds().Dx() != 640 || img.Bounds().Dy() != 480 {
		t.Errorf("%v, %v", img.Bounds(), err)
	}
}

// One version, no finite value, all equal: drawn all the same.
func TestHistoryOfLittle(t *testing.T) {
	for _, values := range [][]float64{{5}, {0}, {math.NaN()}, {-1}} {
		h := History{At: []float64{1}, Panels: []Panel{{Series: []Series{{"x", values}}}}}
		var b bytes.Buffer
		if err := HistorySVG(&b, h, Settings{}); err != nil || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%v: %v", values, err)
		}
	}
}

// What a panel shows holds its values, from 0 where they allow it, and is never empty.
func TestSpanOfAPanel(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   span
	}{
		{nil, span{0, 1.05}},
		{[]float64{0, 0}, span{0, 1.05}},
		{[]float64{2}, span{0, 2.1}},
		{[]float64{-2}, span{-3, -0.9}},
		{[]float64{-1, 1}, span{-1, 1.1}},
	} {
		got := Panel{Series: []Series{{"x", c.values}}}.span()
		if math.Abs(got.from-c.want.from) > 1e-12 || math.Abs(got.to-c.want.to) > 1e-12 {
			t.Errorf("%v are shown from %v to %v, expected %v", c.values, got.from, got.to, c.want)
		}
	}
	if got := (Panel{Relative: true, Series: []Series{{"x", []float64{480, 490}}}}).span(); got.from < 479 || got.to > 491 {
		t.Errorf("relative values are shown from %v to %v", got.from, got.to)
	}
	var b bytes.Buffer
	h := History{At: []float64{1, 2}, Panels: []Panel{{Series: []Series{{"x", []float64{math.NaN(), math.NaN()}}}}, {Series: []Series{{"x", []float64{math.NaN(), 3}}}}}}
	if err := HistorySVG(&b, h, Settings{}); err != nil || strings.Count(b.String(), ">none yet<") != 1 {
		t.Errorf("one of two panels has no values: %v, said %d times", err, strings.Count(b.String(), ">none yet<"))
	}
}

func TestHistoryErrors(t *testing.T) {
	for name, spoil := range map[string]func(h *History, s *Settings){
		"nothing":       func(h *History, _ *Settings) { h.At = nil },
		"no panels":     func(h *History, _ *Settings) { h.Panels = nil },
		"short series":  func(h *History, _ *Settings) { h.Panels[0].Series[0].Values = nil },
		"too many":      func(h *History, _ *Settings) { h.Panels[0].Series = make([]Series, 8) },
		"a tiny canvas": func(_ *History, s *Settings) { s.Width = 3 },
	} {
		h, s := sampleHistory(), Settings{}
		spoil(&h, &s)
		if HistoryPNG(&bytes.Buffer{}, h, s) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
