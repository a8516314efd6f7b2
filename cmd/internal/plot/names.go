package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// drawNames writes every class's name beside the spot where the class is
// densest, the larger classes first, where it covers few points and no other
// name; a thin line leads back to the spot if no dot of the class is close. A name that finds
// no place is left to the legend.
func (p *picture) drawNames(c vgdraw.Canvas) {
	peaks := p.peaks()
	order := make([]int, len(p.paint.classes))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.paint.classes[b].n, p.paint.classes[a].n), cmp.Compare(a, b))
	})
	crowd := newCrowd(p.dots, p.frame.panel)
	var taken []vg.Rectangle
	for _, k := range order {
		class := p.paint.classes[k]
		if class.other || class.n == 0 {
			continue
		}
		name, size := shorten(class.name, p.paint.nameLength), 12.0
		if len(name) <= 2 {
			size = 15 // a digit needs more size to be found
		}
		s := aligned(style(size, darker(class.color), true), text.XCenter, text.YCenter)
		box, ok := p.findPlace(peaks[k], vg.Point{X: s.Width(name) + 5, Y: s.Height(name) + 3}, crowd, taken)
		if !ok {
			continue
		}
		taken = append(taken, box)
		at := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
		if !p.touches(box, k) {
			lead(c, box, peaks[k], faded(darker(class.color), 0.8))
		}
		halo(c, s, at, name)
	}
}

// findPlace looks for a place of the given size around a spot: over it, or in one
// of 16 directions at growing distances. It takes the one with the least cost:
// the points that it would cover, and how far away it is.
func (p *picture) findPlace(spot, size vg.Point, crowd *crowd, taken []vg.Rectangle) (best vg.Rectangle, found bool) {
	const rings, directions, perPoint = 7, 16, 0.35
	least := math.Inf(1)
	in := p.frame.panel
	for ring := range rings + 1 {
		for dir := range directions {
			angle := 2 * math.Pi * float64(dir) / directions
			away := vg.Length(ring) * 9
			at := vg.Point{
				X: spot.X + vg.Length(math.Cos(angle))*(away+size.X/2*vg.Length(min(ring, 1))),
				Y: spot.Y + vg.Length(math.Sin(angle))*(away+size.Y/2*vg.Length(min(ring, 1))),
			}
			box := vg.Rectangle{Min: at.Sub(size.Scale(0.5)), Max: at.Add(size.Scale(0.5))}
			if box.Min.X < in.Min.X+2 || box.Max.X > in.Max.X-2 || box.Min.Y < in.Min.Y+2 || box.Max.Y > in.Max.Y-2 ||
				slices.ContainsFunc(taken, func(t vg.Rectangle) bool { return overlap(t, box) }) {
				continue
			}
			cost := perPoint*crowd.within(box) + float64(away)
			if cost < least {
				best, least, found = box, cost, true
			}
			if ring == 0 {
				break // one place, whatever the direction
			}
		}
	}
	return best, found
}

// touches reports whether a dot of the class stands in or beside the box: then
// nobody asks what the name belongs to.
func (p *picture) touches(box vg.Rectangle, class int) bool {
	const beside = 5 // points
	return slices.ContainsFunc(p.dots, func(d dot) bool {
		return d.class == class && d.at.X > box.Min.X-beside && d.at.X < box.Max.X+beside && d.at.Y > box.Min.Y-beside && d.at.Y < box.Max.Y+beside
	})
}

// lead draws a line from a name to its spot.
func lead(c vgdraw.Canvas, box vg.Rectangle, spot vg.Point, color color.NRGBA) {
	from := vg.Point{X: min(max(spot.X, box.Min.X), box.Max.X), Y: min(max(spot.Y, box.Min.Y), box.Max.Y)}
	c.StrokeLine2(vgdraw.LineStyle{Color: color, Width: 0.7}, from.X, from.Y, spot.X, spot.Y)
}

// crowd counts dots in rectangles: a table of sums over small cells.
type crowd struct {
	panel vg.Rectangle
	w, h  int
	sum   []float64 // (w+1) x (h+1): dots in cells left of x and below y
}

const crowdCell = 3 // points

func newCrowd(dots []dot, panel vg.Rectangle) *crowd {
	c := &crowd{panel: panel, w: int(float64(panel.Size().X)/crowdCell) + 1, h: int(float64(panel.Size().Y)/crowdCell) + 1}
	c.sum = make([]float64, (c.w+1)*(c.h+1))
	for _, d := range dots {
		x, y := c.cell(d.at)
		c.sum[(y+1)*(c.w+1)+x+1]++
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

func (c *crowd) within(r vg.Rectangle) float64 {
	x0, y0 := c.cell(r.Min)
	x1, y1 := c.cell(r.Max)
	at := func(x, y int) float64 { return c.sum[y*(c.w+1)+x] }
	return at(x1+1, y1+1) - at(x0, y1+1) - at(x1+1, y0) + at(x0, y0)
}

// peaks returns for every class the middle of its dots around its densest spot:
// the cell with the most of them in a 5 x 5 neighbourhood, near cells counting
// more.
func (p *picture) peaks() []vg.Point {
	byClass := make([][]vg.Point, len(p.paint.classes))
	for _, d := range p.dots {
		byClass[d.class] = append(byClass[d.class], d.at)
	}
	peaks := make([]vg.Point, len(byClass))
	for k, at := range byClass {
		peaks[k] = p.peak(at)
	}
	return peaks
}

func (p *picture) peak(at []vg.Point) vg.Point {
	const cell, reach = 12, 2 // points, cells
	type place struct{ x, y int }
	cellOf := func(q vg.Point) place {
		return place{int(float64(q.X-p.frame.panel.Min.X) / cell), int(float64(q.Y-p.frame.panel.Min.Y) / cell)}
	}
	count := map[place]int{}
	for _, q := range at {
		count[cellOf(q)]++
	}
	var best place
	most := -1
	for c := range count {
		sum := 0
		for dy := -reach; dy <= reach; dy++ {
			for dx := -reach; dx <= reach; dx++ {
				sum += (reach + 1 - max(dx, -dx)) * (reach + 1 - max(dy, -dy)) * count[place{c.x + dx, c.y + dy}]
			}
		}
		if sum > most || sum == most && (c.y < best.y || c.y == best.y && c.x < best.x) {
			best, most = c, sum
		}
	}
	var middle vg.Point
	n := 0
	for _, q := range at {
		if c := cellOf(q); max(c.x-best.x, best.x-c.x, c.y-best.y, best.y-c.y) <= 1 {
			middle = middle.Add(q)
			n++
		}
	}
	return middle.Scale(1 / vg.Length(max(n, 1)))
}

// darker returns a class's colour dark enough to read as text on white.
func darker(c color.NRGBA) color.NRGBA {
	for luminance(c) > 0.18 {
		c.R, c.G, c.B = scaled(c.R), scaled(c.G), scaled(c.B)
	}
	return c
}

// luminance is the relative luminance of a colour in 0..1 (WCAG 2).
func luminance(c color.NRGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// linear undoes the sRGB transfer curve.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func scaled(v uint8) uint8 { return uint8(math.Floor(float64(v) * 0.92)) }

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
