package plot

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// viewport maps the map's coordinates to the panel, with one scale for both axes.
type viewport struct {
	panel          vg.Rectangle
	x0, x1, y0, y1 float64 // range of the panel
	scale          float64 // points (1/72 inch) per map unit
	step           float64 // distance of grid lines, the same for both axes
}

// margin is the share of the data's extent left free around it.
const margin = 0.05

// A viewport may exclude outliers: at most a share of most of the points and of the distinct places,
// and a share of cuts at either end of both axes. It only does so if the rest is then drawn at
// least worth times as large. Further outliers are excluded if the rest becomes more times as large
// again. Points within reach of the rest, a share of its extent, are no outliers. This includes the
// tails of a normal distribution.
var cuts = []float64{0.001, 0.0025, 0.005, 0.01, 0.02, 0.03}

const (
	most  = 0.05
	worth = math.Sqrt2 // twice the area
	more  = 1.2
	reach = 0.4
)

// newViewport fits points, whose coordinates must be finite, into the panel. It excludes outliers if
// they would leave most of it empty.
func newViewport(x, y []float64, panel vg.Rectangle) viewport {
	px, py := once(x, y)
	xs, ys := axis{ascending(x), ascending(px)}, axis{ascending(y), ascending(py)}
	whole := fitted(xs.within(0), ys.within(0), panel)
	f := whole
	for _, share := range cuts {
		g := fitted(xs.within(share), ys.within(share), panel)
		if g.scale >= worth*whole.scale && g.scale >= more*f.scale && g.beyond(x, y) <= most && g.beyond(px, py) <= most {
			f = g
		}
	}
	return f
}

// beyond returns the share of points outside the viewport.
func (f viewport) beyond(x, y []float64) float64 {
	n := 0
	for i := range x {
		if _, inside := f.at(x[i], y[i]); !inside {
			n++
		}
	}
	return float64(n) / float64(len(x))
}

// fitted returns the viewport that shows x and y as large as the panel allows.
func fitted(x, y span, panel vg.Rectangle) viewport {
	size := panel.Size()
	w, h := x.to-x.from, y.to-y.from
	if w == 0 && h == 0 {
		w, h = 1, 1
	}
	w, h = w*(1+2*margin), h*(1+2*margin)
	f := viewport{panel: panel, scale: math.Inf(1)}
	if w > 0 {
		f.scale = float64(size.X) / w
	}
	if h > 0 {
		f.scale = math.Min(f.scale, float64(size.Y)/h)
	}
	// A panel with space left in one direction shows more of the map there.
	w, h = float64(size.X)/f.scale, float64(size.Y)/f.scale
	cx, cy := (x.from+x.to)/2, (y.from+y.to)/2
	f.x0, f.x1, f.y0, f.y1 = cx-w/2, cx+w/2, cy-h/2, cy+h/2
	f.step = niceStep(math.Max(w, h) / 8)
	return f
}

// axis has the ascending coordinates of the points and of the distinct places. In the places, many
// equal events count once, so that a few places with many events do not outvote many places.
type axis struct{ points, places []float64 }

// within returns the range without a share of the points and of the places at either end.
func (a axis) within(share float64) span {
	p, q := within(a.points, share), within(a.places, share)
	return span{math.Min(p.from, q.from), math.Max(p.to, q.to)}
}

// within returns the range of the values without a share at either end. Values at the ends are only
// excluded if they are out of reach of the others.
func within(sorted []float64, share float64) span {
	n := len(sorted)
	from := int(share * float64(n))
	to := n - 1 - from
	first, last := sorted[from], sorted[to]
	if first == last {
		return span{sorted[0], sorted[n-1]}
	}
	for from > 0 && sorted[from-1] >= first-reach*(last-first) {
		from--
	}
	for to < n-1 && sorted[to+1] <= last+reach*(last-first) {
		to++
	}
	return span{sorted[from], sorted[to]}
}

// finite returns the points with two finite coordinates.
func finite(x, y []float64) (fx, fy []float64) {
	for i := range x {
		if isFinite(x[i]) && isFinite(y[i]) {
			fx, fy = append(fx, x[i]), append(fy, y[i])
		}
	}
	return fx, fy
}

// once returns the distinct places of the points.
func once(x, y []float64) (px, py []float64) {
	seen := make(map[[2]float64]bool, len(x))
	for i := range x {
		if at := [2]float64{x[i], y[i]}; !seen[at] {
			seen[at] = true
			px, py = append(px, x[i]), append(py, y[i])
		}
	}
	return px, py
}

func ascending(v []float64) []float64 {
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	return sorted
}

// at returns the position of a point on the canvas, and whether it is within the panel. A point
// outside is moved to the panel's edge.
func (f viewport) at(x, y float64) (p vg.Point, inside bool) {
	cx, cy := math.Min(math.Max(x, f.x0), f.x1), math.Min(math.Max(y, f.y0), f.y1)
	p = vg.Point{
		X: f.panel.Min.X + vg.Length((cx-f.x0)*f.scale),
		Y: f.panel.Min.Y + vg.Length((cy-f.y0)*f.scale),
	}
	return p, cx == x && cy == y
}

// pullIn moves a point at the panel's edge inwards by its radius.
func (f viewport) pullIn(p vg.Point, r vg.Length) vg.Point {
	in := f.panel
	return vg.Point{X: min(max(p.X, in.Min.X+r), in.Max.X-r), Y: min(max(p.Y, in.Min.Y+r), in.Max.Y-r)}
}

// ticks returns the multiples of the grid's step in from..to.
func (f viewport) ticks(from, to float64) []float64 {
	var at []float64
	for k := math.Ceil(from / f.step); k*f.step <= to; k++ {
		at = append(at, k*f.step)
	}
	return at
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
