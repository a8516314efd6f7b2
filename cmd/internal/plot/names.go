package plot

import (
	"image/color"
	"math"
	"unicode/utf8"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Font sizes of names on the map, for the largest and the smallest group: with few groups, and with
// a hundred.
const (
	largeFew, smallFew   = 17.0, 11.5
	largeMany, smallMany = 11.5, 6.5
	// namedLine is the approximate number of characters in a line of a name.
	namedLine = 18
	longName  = 48
)

// group is a set of points with a name on the map.
type group struct {
	name  string
	n     int
	color color.NRGBA // of the text
	spot  vg.Point
}

// groups returns the named groups: by Map.Name, otherwise the classes with a colour. near has the
// group of each dot's row, -1 for none.
func (p *picture) groups() (all []group, near []int) {
	near = make([]int, len(p.m.X))
	if p.m.Name != nil {
		of, index := chooseClasses(p.m.Name, mostNames)
		for i, name := range p.m.Name {
			near[i] = index[name]
		}
		for _, k := range of {
			g := group{n: k.n, color: p.paint.ink}
			if !k.other {
				g.name = k.name
			}
			all = append(all, g)
		}
	} else if p.m.Class != nil {
		for i := range p.m.X {
			near[i] = p.paint.kind(p.m, i)
		}
		for _, k := range p.paint.classes {
			g := group{n: k.n, color: p.paint.legible(k.color)}
			if !k.other {
				g.name = k.name
			}
			all = append(all, g)
		}
	}
	at := make([][]vg.Point, len(all))
	for _, d := range p.dots {
		if k := near[d.row]; len(all) > 0 && !p.m.dimmed(d.row) {
			at[k] = append(at[k], d.at)
		}
	}
	for k := range all {
		if all[k].spot = peak(at[k], p.viewport.panel); len(at[k]) == 0 {
			all[k].name = ""
		}
	}
	return all, near
}

// labels returns the names with their positions, and the groups that they name.
func (p *picture) labels() (labels []label, all []group, near []int) {
	all, near = p.groups()
	a := &arranger{in: p.viewport.panel, crowd: newCrowd(p.dots, p.viewport.panel)}
	a.measure = func(l label) vg.Point {
		s := p.paint.style(l.size, p.paint.ink, true)
		return vg.Point{X: s.Width(l.text) + 4, Y: s.Height(l.text) + 2}
	}
	named, most := 0, 0
	for _, g := range all {
		if g.name != "" {
			named, most = named+1, max(most, g.n)
		}
	}
	for _, k := range inSizeOrder(len(all), func(i int) int { return all[i].n }) {
		if g := all[k]; g.name != "" {
			name := wrapped(shorten(g.name, longName), namedLine)
			size := nameSize(float64(g.n)/float64(most), named) * p.nameScale()
			if utf8.RuneCountInString(name) <= 2 && named <= trusted {
				size = math.Max(size, largeFew*p.nameScale()) // a single digit is hard to find in a small size
			}
			a.labels = append(a.labels, label{text: name, class: k, size: size, spot: g.spot, lone: g.n == 1})
		}
	}
	a.arrange()
	return a.labels, all, near
}

// drawNames writes every group's name at the group's densest spot or, if dots or other names are in
// the way, beside it. A thin line leads to the spot if the name is not at its group. It returns the
// number of names without a position.
func (p *picture) drawNames(c vgdraw.Canvas) (lost int) {
	labels, all, near := p.labels()
	for _, l := range labels {
		if l.found && !p.stands(l, near) {
			p.lead(c, l, all[l.class].color)
		}
	}
	for _, l := range labels {
		if !l.found {
			lost++
			continue
		}
		s := aligned(p.paint.style(l.size, all[l.class].color, true), text.XCenter, text.YCenter)
		p.paint.halo(c, s, vg.Point{X: (l.box.Min.X + l.box.Max.X) / 2, Y: (l.box.Min.Y + l.box.Max.Y) / 2}, l.text)
	}
	return lost
}

// mostNames is the maximum number of names on the map.
const mostNames = 250

// nameScale returns a factor that makes names smaller in a small panel.
func (p *picture) nameScale() float64 {
	size := p.viewport.panel.Size()
	return math.Min(1, math.Max(0.6, math.Sqrt(float64(size.X*size.Y))/420))
}

// nameSize returns the font size for a group with the given size relative to the largest.
func nameSize(share float64, groups int) float64 {
	crowded := math.Min(1, math.Max(0, (float64(groups)-12)/88))
	large := largeFew + crowded*(largeMany-largeFew)
	small := smallFew + crowded*(smallMany-smallFew)
	return small + (large-small)*math.Sqrt(share)
}

// stands reports whether a label is clearly at its group: at its spot, or among dots that mostly
// belong to the group.
func (p *picture) stands(l label, near []int) bool {
	const at, beside = 2, 5 // points
	if (segment{nearest(l.box, l.spot), l.spot}).length() <= at {
		return true
	}
	own, all := 0, 0
	for _, d := range p.dots {
		if d.at.X > l.box.Min.X-beside && d.at.X < l.box.Max.X+beside && d.at.Y > l.box.Min.Y-beside && d.at.Y < l.box.Max.Y+beside {
			all++
			if near[d.row] == l.class {
				own++
			}
		}
	}
	return 2*own > all
}

// lead draws a line from a name to its spot, and a dot there.
func (p *picture) lead(c vgdraw.Canvas, l label, color color.NRGBA) {
	from := nearest(l.box, l.spot)
	c.StrokeLine2(vgdraw.LineStyle{Color: faded(p.paint.ground, 0.85), Width: 2}, from.X, from.Y, l.spot.X, l.spot.Y)
	c.StrokeLine2(vgdraw.LineStyle{Color: color, Width: 0.7}, from.X, from.Y, l.spot.X, l.spot.Y)
	disc(c, l.spot, 1.6, color)
}

// peak returns the middle of points around their densest spot: the cell with the most of them in a
// 5 x 5 neighbourhood, with near cells weighted more.
func peak(at []vg.Point, panel vg.Rectangle) vg.Point {
	const cell, reach = 12, 2 // points, cells
	type place struct{ x, y int }
	cellOf := func(q vg.Point) place {
		return place{int(float64(q.X-panel.Min.X) / cell), int(float64(q.Y-panel.Min.Y) / cell)}
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
