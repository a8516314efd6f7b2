package pdf

import (
	"bytes"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
)

func (c *Canvas) path(p vg.Path) {
	var at vg.Point
	begun := false
	to := func(q vg.Point) {
		if begun {
			c.op("l", float64(q.X), float64(q.Y))
		} else {
			c.op("m", float64(q.X), float64(q.Y))
		}
		at, begun = q, true
	}
	for _, part := range p {
		switch part.Type {
		case vg.MoveComp:
			begun = false
			to(part.Pos)
		case vg.LineComp:
			to(part.Pos)
		case vg.ArcComp:
			at = c.arc(part, to)
		case vg.CurveComp:
			a, b := part.Control[0], part.Control[0]
			if len(part.Control) == 1 { // a quadratic curve, converted to a cubic one
				a, b = at.Add(a.Sub(at).Scale(2.0/3)), part.Pos.Add(b.Sub(part.Pos).Scale(2.0/3))
			} else {
				b = part.Control[1]
			}
			c.op("c", float64(a.X), float64(a.Y), float64(b.X), float64(b.Y), float64(part.Pos.X), float64(part.Pos.Y))
			at = part.Pos
		case vg.CloseComp:
			c.op("h")
		}
	}
}

// arc draws an arc of a circle as curves of at most a quarter, and returns its end. Control points
// are 4/3 tan(a/4) radii from the ends of a curve.
func (c *Canvas) arc(part vg.PathComp, to func(vg.Point)) vg.Point {
	n := max(1, int(math.Ceil(math.Abs(part.Angle)/(math.Pi/2)-1e-9)))
	each := part.Angle / float64(n)
	reach := 4.0 / 3 * math.Tan(each/4)
	on := func(angle, along float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return part.Pos.Add(vg.Point{X: vg.Length(cos - along*sin), Y: vg.Length(sin + along*cos)}.Scale(part.Radius))
	}
	end := on(part.Start, 0)
	to(end)
	for k := range n {
		from, till := part.Start+float64(k)*each, part.Start+float64(k+1)*each
		a, b := on(from, reach), on(till, -reach)
		end = on(till, 0)
		c.op("c", float64(a.X), float64(a.Y), float64(b.X), float64(b.Y), float64(end.X), float64(end.Y))
	}
	return end
}

// formOf returns a glyph's outline in units of its font.
func formOf(g glyph) (form, error) {
	var buf sfnt.Buffer
	parts, err := g.font.LoadGlyph(&buf, g.index, fixed.I(int(g.font.UnitsPerEm())), nil)
	if err != nil {
		return form{}, err
	}
	var out bytes.Buffer
	f := form{}
	write := func(name string, points ...[2]float64) {
		for _, p := range points {
			out.WriteString(decimal(p[0]) + " " + decimal(p[1]) + " ")
			f.box = max(f.box, math.Abs(p[0]), math.Abs(p[1]))
		}
		out.WriteString(name + "\n")
	}
	at := func(p fixed.Point26_6) [2]float64 { return [2]float64{float64(p.X) / 64, -float64(p.Y) / 64} }
	between := func(a, b [2]float64) [2]float64 { return [2]float64{a[0] + 2*(b[0]-a[0])/3, a[1] + 2*(b[1]-a[1])/3} }
	var last [2]float64
	open := false
	for _, s := range parts {
		p := at(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if open {
				write("h")
			}
			write("m", p)
			open = true
		case sfnt.SegmentOpLineTo:
			write("l", p)
		case sfnt.SegmentOpQuadTo:
			end := at(s.Args[1])
			write("c", between(last, p), between(end, p), end)
			p = end
		case sfnt.SegmentOpCubeTo:
			end := at(s.Args[2])
			write("c", p, at(s.Args[1]), end)
			p = end
		}
		last = p
	}
	if open {
		write("h")
		write("f")
	}
	f.path = out.String()
	return f, nil
}
