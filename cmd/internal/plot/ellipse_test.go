package plot

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// Every point of an outline is one standard deviation from the mean.
func TestOutlinesAreOneDeviationWide(t *testing.T) {
	f := newViewport([]float64{-5, 5}, []float64{-5, 5}, vg.Rectangle{Max: vg.Point{X: 400, Y: 400}})
	for _, e := range []Ellipse{{1, 2, 1, 0, 1}, {0, 0, 4, 1.5, 1}, {-1, 1, 0.3, -0.2, 0.9}} {
		det := e.XX*e.YY - e.XY*e.XY
		for _, p := range e.outline(f) {
			x, y := float64(p.X)/f.scale+f.x0-e.X, float64(p.Y)/f.scale+f.y0-e.Y
			if d := (e.YY*x*x - 2*e.XY*x*y + e.XX*y*y) / det; math.Abs(d-1) > 1e-9 {
				t.Errorf("%+v: a point at %g deviations", e, math.Sqrt(d))
			}
		}
	}
	for _, e := range []Ellipse{{XX: -1, YY: 1}, {XX: math.NaN(), YY: 1}, {X: math.Inf(1), XX: 1, YY: 1}} {
		if e.outline(f) != nil {
			t.Errorf("%+v is drawn", e)
		}
	}
}

func TestEllipsesAreDrawn(t *testing.T) {
	m := Map{X: []float64{0, 1, 2}, Y: []float64{0, 2, 1}}
	var without, with bytes.Buffer
	if _, err := SVG(&without, m, Settings{}); err != nil {
		t.Fatal(err)
	}
	m.Spread = []Ellipse{{0, 0, 0.1, 0, 0.1}, {1, 2, 0.1, 0.05, 0.2}, {100, 100, 1, 0, 1}}
	if _, err := SVG(&with, m, Settings{}); err != nil {
		t.Fatal(err)
	}
	if a, b := strings.Count(without.String(), "<path"), strings.Count(with.String(), "<path"); b < a+2 {
		t.Errorf("%d paths with two ellipses in sight, %d without", b, a)
	}
}
