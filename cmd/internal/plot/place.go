package plot

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// label is a name that needs a position on the map.
type label struct {
	text  string
	class int
	size  float64  // of the font
	area  vg.Point // size of the text
	spot  vg.Point // what it names
	lone  bool     // a single point, which the name may not hide
	box   vg.Rectangle
	found bool
}

// The position of a label minimizes the cost
//
//	hidden, if dots are under it, + cover * (share of it with dots) + distance + aside * (distance of its middle)
//	+ cross * (lines and labels that its line would cross) + hide * (other labels' spots under it)
//
// with distances from its spot in points. It can be anywhere in the panel, except over another
// label.
const (
	hiddenCost, coverCost, asideCost, crossCost, hideCost = 8, 4, 0.12, 60, 12
	directions                                            = 24
	// passes is the number of times that labels are placed again, each with the current positions
	// of all others.
	passes = 8
	// tight is the factor by which a label shrinks if there is no position for it, and leastSize
	// its minimum size in points.
	tight, leastSize = 0.85, 5.0
	// loneRoom is the distance between a single point's centre and its name. full is the share of
	// the panel that names may cover before all of them are made smaller.
	loneRoom = 6
	full     = 0.3
)

// rings are the distances at which positions are tried, in points.
var rings = func() []float64 {
	out := []float64{0}
	for r := 5.0; r < 700; r = r*1.22 + 2 {
		out = append(out, r)
	}
	return out
}()

// arranger places labels in a panel.
type arranger struct {
	in     vg.Rectangle
	crowd  *crowd
	labels []label
	// measure returns the size of a label's text.
	measure func(l label) vg.Point
}

// arrange places all labels in order; later ones use the remaining space. If some do not fit, all
// are made smaller.
func (a *arranger) arrange() {
	a.shrink()
	for !a.placed() && slices.ContainsFunc(a.labels, func(l label) bool { return l.size > leastSize }) {
		for i := range a.labels {
			l := &a.labels[i]
			l.size, l.found = math.Max(l.size*tight, math.Min(l.size, leastSize)), false
		}
	}
	for range passes {
		moved := false
		for i := range a.labels {
			before := a.labels[i].box
			a.settle(i)
			moved = moved || a.labels[i].box != before
		}
		if !moved {
			return
		}
	}
}

// placed places every label, shrinks those that do not fit, and reports whether all have a
// position.
func (a *arranger) placed() bool {
	all := true
	for i := range a.labels {
		l := &a.labels[i]
		for l.area = a.measure(*l); !a.settle(i); l.area = a.measure(*l) {
			if l.size <= leastSize {
				all = false
				break
			}
			l.size = math.Max(l.size*tight, leastSize)
		}
	}
	return all
}

// shrink makes all labels smaller if together they would fill the panel.
func (a *arranger) shrink() {
	var area float64
	for _, l := range a.labels {
		size := a.measure(l)
		area += float64(size.X * size.Y)
	}
	room := a.in.Size()
	if by := math.Sqrt(full * float64(room.X*room.Y) / area); by < 1 {
		for i := range a.labels {
			a.labels[i].size = math.Max(a.labels[i].size*by, math.Min(a.labels[i].size, leastSize))
		}
	}
}

// settle moves a label to its cheapest position given the others.
func (a *arranger) settle(i int) bool {
	l := &a.labels[i]
	least := math.Inf(1)
	var best vg.Rectangle
	try := func(at vg.Point) {
		half := l.area.Scale(0.5)
		box := vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}
		if box.Min.X < a.in.Min.X+2 || box.Max.X > a.in.Max.X-2 || box.Min.Y < a.in.Min.Y+2 || box.Max.Y > a.in.Max.Y-2 {
			return
		}
		if l.lone && contains(grown(box, loneRoom), l.spot) {
			return
		}
		if cost := a.cost(i, box, least); cost < least {
			best, least = box, cost
		}
	}
	for _, away := range rings {
		if away > least {
			break
		}
		for k := range directions {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / directions)
			beside := l.area.Scale(0.5)
			if away == 0 {
				beside = vg.Point{}
			}
			try(vg.Point{X: l.spot.X + vg.Length(cos)*(vg.Length(away)+beside.X), Y: l.spot.Y + vg.Length(sin)*(vg.Length(away)+beside.Y)})
			if away == 0 {
				break // at distance 0 all directions are the same position
			}
		}
	}
	if math.IsInf(least, 1) {
		return l.found
	}
	l.box, l.found = best, true
	return true
}

// cost returns the cost of a position. It is infinite over another label, and any number above
// limit if it exceeds limit.
func (a *arranger) cost(i int, box vg.Rectangle, limit float64) float64 {
	l := a.labels[i]
	lead := segment{nearest(box, l.spot), l.spot}
	aside := segment{box.Min.Add(box.Max).Scale(0.5), l.spot}.length()
	cost := lead.length() + asideCost*aside
	if covered := a.crowd.covered(box); covered > 0 {
		cost += hiddenCost + coverCost*covered
	}
	for j, o := range a.labels {
		if j == i {
			continue
		}
		if contains(box, o.spot) {
			cost += hideCost
		}
		if !o.found {
			continue
		}
		if overlap(o.box, box) {
			return math.Inf(1)
		}
		other := segment{nearest(o.box, o.spot), o.spot}
		if lead.crosses(other) || lead.enters(o.box) || other.enters(box) {
			cost += crossCost
		}
		if cost > limit {
			return cost
		}
	}
	return cost
}

// segment is a line from a label to its spot.
type segment struct{ a, b vg.Point }

func (s segment) length() float64 {
	return math.Hypot(float64(s.a.X-s.b.X), float64(s.a.Y-s.b.Y))
}

// crosses reports whether two segments share a point; segments without length share none.
func (s segment) crosses(o segment) bool {
	if s.a == s.b || o.a == o.b {
		return false
	}
	side := func(p, q, r vg.Point) float64 {
		return float64((q.X-p.X)*(r.Y-p.Y) - (q.Y-p.Y)*(r.X-p.X))
	}
	return side(s.a, s.b, o.a)*side(s.a, s.b, o.b) < 0 && side(o.a, o.b, s.a)*side(o.a, o.b, s.b) < 0
}

// enters reports whether a segment goes through a box.
func (s segment) enters(box vg.Rectangle) bool {
	if s.a == s.b {
		return false
	}
	if contains(box, s.a) || contains(box, s.b) {
		return true
	}
	up := segment{box.Min, box.Max}
	down := segment{vg.Point{X: box.Min.X, Y: box.Max.Y}, vg.Point{X: box.Max.X, Y: box.Min.Y}}
	return s.crosses(up) || s.crosses(down)
}

// nearest returns the point of a box nearest to p.
func nearest(box vg.Rectangle, p vg.Point) vg.Point {
	return vg.Point{X: min(max(p.X, box.Min.X), box.Max.X), Y: min(max(p.Y, box.Min.Y), box.Max.Y)}
}

func grown(box vg.Rectangle, by vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: box.Min.Sub(vg.Point{X: by, Y: by}), Max: box.Max.Add(vg.Point{X: by, Y: by})}
}

func contains(box vg.Rectangle, p vg.Point) bool {
	return p.X > box.Min.X && p.X < box.Max.X && p.Y > box.Min.Y && p.Y < box.Max.Y
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// crowd has the positions of dots as a table of sums over small cells; a cell with dots counts
// once.
type crowd struct {
	panel vg.Rectangle
	w, h  int
	sum   []float64 // (w+1) x (h+1): cells with dots left of x and below y
}

const crowdCell = 3 // points

func newCrowd(dots []dot, panel vg.Rectangle) *crowd {
	c := &crowd{panel: panel, w: int(float64(panel.Size().X)/crowdCell) + 1, h: int(float64(panel.Size().Y)/crowdCell) + 1}
	c.sum = make([]float64, (c.w+1)*(c.h+1))
	for _, d := range dots {
		x, y := c.cell(d.at)
		c.sum[(y+1)*(c.w+1)+x+1] = 1
	}
	for y := 1; y <= c.h; y++ {
		for x := 1; x <= c.w; x++ {
			c.sum[y*(c.w+1)+x] += c.sum[y*(c.w+1)+x-1] + c.sum[(y-1)*(c.w+1)+x] - c.sum[(y-1)*(c.w+1)+x-1]
		}
	}
	return c
}

func (c *crowd) cell(p vg.Point) (x, y int) {
	x, y = int(float64(p.X-c.panel.Min.X)/crowdCell), int(float64(p.Y-c.panel.Min.Y)/crowdCell)
	return min(max(x, 0), c.w-1), min(max(y, 0), c.h-1)
}

// covered returns the share of a rectangle's cells that have dots.
func (c *crowd) covered(r vg.Rectangle) float64 {
	x0, y0 := c.cell(r.Min)
	x1, y1 := c.cell(r.Max)
	at := func(x, y int) float64 { return c.sum[y*(c.w+1)+x] }
	cells := float64((x1 - x0 + 1) * (y1 - y0 + 1))
	return (at(x1+1, y1+1) - at(x0, y1+1) - at(x1+1, y0) + at(x0, y0)) / cells
}

// inSizeOrder returns 0..n-1 by decreasing weight.
func inSizeOrder(n int, weight func(i int) int) []int {
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return weight(b) - weight(a) })
	return order
}
