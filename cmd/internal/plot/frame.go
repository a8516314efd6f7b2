package plot

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"unfold/internal/quantile"
)

// frame maps the map's coordinates to the panel, with one scale for both axes.
type frame struct {
	panel          vg.Rectangle
	x0, x1, y0, y1 float64 // what the panel shows
	scale          float64 // points (1/72 inch) per map unit
	step           float64 // distance of grid lines, the same for both axes
}

// margin is the share of the data's extent left free around it.
const margin = 0.05

// newFrame fits the points into the panel. What it shows is the extent of the
// points or, if smaller, that of all but the outer 1% on each side widened by
// 30%, so that single far points do not shrink the rest.
func newFrame(x, y []float64, panel vg.Rectangle) frame {
	x0, x1 := extent(x)
	y0, y1 := extent(y)
	size := panel.Size()
	w, h := x1-x0, y1-y0
	if w == 0 && h == 0 {
		w, h = 1, 1
	}
	w, h = w*(1+2*margin), h*(1+2*margin)
	f := frame{panel: panel, scale: math.Inf(1)}
	if w > 0 {
		f.scale = float64(size.X) / w
	}
	if h > 0 {
		f.scale = math.Min(f.scale, float64(size.Y)/h)
	}
	// Whatever the panel has left over on one side shows more of the map there.
	w, h = float64(size.X)/f.scale, float64(size.Y)/f.scale
	cx, cy := (x0+x1)/2, (y0+y1)/2
	f.x0, f.x1, f.y0, f.y1 = cx-w/2, cx+w/2, cy-h/2, cy+h/2
	f.step = niceStep(math.Max(w, h) / 8)
	return f
}

// at returns where a point of the map stands on the canvas, and whether it is
// within the panel. A point outside comes back at the panel's edge.
func (f frame) at(x, y float64) (p vg.Point, inside bool) {
	cx, cy := math.Min(math.Max(x, f.x0), f.x1), math.Min(math.Max(y, f.y0), f.y1)
	p = vg.Point{
		X: f.panel.Min.X + vg.Length((cx-f.x0)*f.scale),
		Y: f.panel.Min.Y + vg.Length((cy-f.y0)*f.scale),
	}
	return p, cx == x && cy == y
}

// pullIn moves a point that stands at the panel's edge inwards by its radius.
func (f frame) pullIn(p vg.Point, r vg.Length) vg.Point {
	in := f.panel
	return vg.Point{X: min(max(p.X, in.Min.X+r), in.Max.X-r), Y: min(max(p.Y, in.Min.Y+r), in.Max.Y-r)}
}

// ticks returns the multiples of the grid's step in from..to.
func (f frame) ticks(from, to float64) []float64 {
	var at []float64
	for k := math.Ceil(from / f.step); k*f.step <= to; k++ {
		at = append(at, k*f.step)
	}
	return at
}

// extent returns the range of v that the picture shows; see newFrame.
func extent(v []float64) (lo, hi float64) {
	sorted := make([]float64, 0, len(v))
	for _, x := range v {
		if isFinite(x) {
			sorted = append(sorted, x)
		}
	}
	slices.Sort(sorted)
	n := len(sorted)
	lo, hi = sorted[0], sorted[n-1]
	if n < 100 {
		return lo, hi
	}
	q0, q1 := quantile.Of(sorted, 0.01), quantile.Of(sorted, 0.99)
	if wide := 0.3 * (q1 - q0); wide > 0 {
		lo, hi = math.Max(lo, q0-wide), math.Min(hi, q1+wide)
	}
	return lo, hi
}

// niceStep returns the smallest of 1, 2, 5 times a power of ten that is >= v.
func niceStep(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*p >= v {
			return m * p
		}
	}
	return 10 * p
}
