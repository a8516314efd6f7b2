package plot

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"regexp"
	"strings"
	"testing"
)

func sampleHistory() History {
	return History{
		Title: "A map", Subtitle: "4 versions", Along: "version", At: []float64{1, 2, 3, 7}, Marks: []float64{3},
		Panels: []Panel{
			{Title: "Moves", Series: []Series{{Name: "median", Values: []float64{0, .1, .2, .1}}, {Name: "p99", Values: []float64{math.NaN(), 1, math.NaN(), 9}}}},
			{Title: "Novel", Series: []Series{{Name: "share", Values: []float64{.05, .04, .07, .05}}}, Level: .05},
			{Title: "Likelihood", Series: []Series{{Name: "per pair", Values: []float64{-3, -2.9, -2.8, -2.7}}}},
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

// A history of one version, without finite values, or of equal values is drawn, too.
func TestHistoryOfLittle(t *testing.T) {
	for _, values := range [][]float64{{5}, {0}, {math.NaN()}, {-1}} {
		h := History{At: []float64{1}, Panels: []Panel{{Series: []Series{{Name: "x", Values: values}}}}}
		var b bytes.Buffer
		if err := HistorySVG(&b, h, Settings{}); err != nil || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%v: %v", values, err)
		}
	}
}

// The range of a panel includes its values, starts at 0 where they allow it, and is never empty.
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
		got := Panel{Series: []Series{{Name: "x", Values: c.values}}}.span()
		if math.Abs(got.from-c.want.from) > 1e-12 || math.Abs(got.to-c.want.to) > 1e-12 {
			t.Errorf("%v are shown from %v to %v, expected %v", c.values, got.from, got.to, c.want)
		}
	}
	if got := (Panel{Relative: true, Series: []Series{{Name: "x", Values: []float64{480, 490}}}}).span(); got.from < 479 || got.to > 491 {
		t.Errorf("relative values are shown from %v to %v", got.from, got.to)
	}
	var b bytes.Buffer
	h := History{At: []float64{1, 2}, Panels: []Panel{{Series: []Series{{Name: "x", Values: []float64{math.NaN(), math.NaN()}}}}, {Series: []Series{{Name: "x", Values: []float64{math.NaN(), 3}}}}}}
	if err := HistorySVG(&b, h, Settings{}); err != nil || strings.Count(b.String(), ">none yet<") != 1 {
		t.Errorf("one of two panels has no values: %v, said %d times", err, strings.Count(b.String(), ">none yet<"))
	}
}

func TestHistoryErrors(t *testing.T) {
	for name, spoil := range map[string]func(h *History, s *Settings){
		"nothing":       func(h *History, _ *Settings) { h.At = nil },
		"no panels":     func(h *History, _ *Settings) { h.Panels = nil },
		"short series":  func(h *History, _ *Settings) { h.Panels[0].Series[0].Values = nil },
		"short marks":   func(h *History, _ *Settings) { h.Panels[0].Series[0].Alone = []bool{true} },
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

// Values in Alone are rings without lines, and a logarithmic axis has powers of ten.
func TestHistoryOfValuesAlone(t *testing.T) {
	picture := func(alone []bool, log float64) string {
		h := History{At: []float64{1, 2, 3, 4, 5}, Panels: []Panel{{Log: log, Series: []Series{{Name: "p99", Values: []float64{.2, .3, 8, .2, 0}, Alone: alone}}}}}
		var b bytes.Buffer
		if err := HistorySVG(&b, h, Settings{}); err != nil || strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		alone        []bool
		rings, lines int
	}{"none": {nil, 0, 1}, "the third": {[]bool{false, false, true, false, false}, 1, 2}} {
		svg := picture(c.alone, .01)
		rings, lines := regexp.MustCompile(`d="M[\d.]+,([\d.]+)A3,3 [^"]*" style="fill:none;stroke:#0072B2`).FindAllStringSubmatch(svg, -1), strings.Count(svg, `style="fill:none;stroke:#0072B2;stroke-width:1.2"`)
		if len(rings) != c.rings || lines != c.lines {
			t.Errorf("%s alone: %d rings and %d lines, want %d and %d", name, len(rings), lines, c.rings, c.lines)
		}
		// The axis runs from 0.01 at 48.5 to 10 at 532, so 8 is at .97 of it.
		if want := fmt.Sprintf("%.2f", 48.5+(math.Log10(8)+2)/3*(532-48.5)); c.rings == 1 && rings[0][1] != want {
			t.Errorf("the ring lies at %s, want %s", rings[0][1], want)
		}
	}
	for _, want := range []string{"0.01", "0.1", "1", "10"} {
		if svg := picture(nil, .01); !strings.Contains(svg, ">"+want+"<") {
			t.Errorf("the axis has no %s", want)
		}
	}
}
