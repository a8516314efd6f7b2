package plot

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Move is the movement of a point from one map to another, in the map's coordinates.
type Move struct{ X0, Y0, X1, Y1 float64 }

func (m Move) length() float64 { return math.Hypot(m.X1-m.X0, m.Y1-m.Y0) }

// mostArrows bounds the number of drawn moves. arrowCell is the approximate distance between
// arrows' starts or ends, in points, and arrowLeast the least visible length.
const (
	mostArrows = 80
	arrowCell  = 26.0
	arrowLeast = 9.0
	arrowHead  = 5.0
)

// longest returns the moves to draw: the longest one between any two squares of arrowCell points,
// and the longest of these.
func (p *picture) longest() []Move {
	type square struct{ x, y int }
	squareOf := func(x, y float64) square {
		at, _ := p.viewport.at(x, y)
		return square{int(float64(at.X) / arrowCell), int(float64(at.Y) / arrowCell)}
	}
	best := map[[2]square]Move{}
	for _, m := range p.m.Moves {
		if !isFinite(m.X0+m.Y0+m.X1+m.Y1) || m.length()*p.viewport.scale < arrowLeast {
			continue
		}
		s := [2]square{squareOf(m.X0, m.Y0), squareOf(m.X1, m.Y1)}
		if old, there := best[s]; !there || m.length() > old.length() {
			best[s] = m
		}
	}
	out := make([]Move, 0, len(best))
	for _, m := range best {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Move) int {
		return cmp.Or(cmp.Compare(b.length(), a.length()), cmp.Compare(a.X0, b.X0), cmp.Compare(a.Y0, b.Y0), cmp.Compare(a.X1, b.X1), cmp.Compare(a.Y1, b.Y1))
	})
	return out[:min(len(out), mostArrows)]
}

// drawMoves draws the longest moves as arrows.
func (p *picture) drawMoves(c vgdraw.Canvas) {
	inside := vgdraw.Canvas{Canvas: c.Canvas, Rectangle: p.viewport.panel}
	for _, m := range p.longest() {
		from, _ := p.viewport.at(m.X0, m.Y0)
		to, _ := p.viewport.at(m.X1, m.Y1)
		length := (segment{from, to}).length()
		if length < arrowLeast {
			continue
		}
		along := to.Sub(from).Scale(vg.Length(1 / length))
		across := vg.Point{X: -along.Y, Y: along.X}
		neck := to.Sub(along.Scale(arrowHead))
		head := []vg.Point{to, neck.Add(across.Scale(arrowHead * 0.42)), neck.Sub(across.Scale(arrowHead * 0.42))}
		inside.StrokeLine2(vgdraw.LineStyle{Color: faded(p.paint.ground, 0.8), Width: 2.2}, from.X, from.Y, neck.X, neck.Y)
		inside.StrokeLine2(vgdraw.LineStyle{Color: p.paint.ink, Width: 0.9}, from.X, from.Y, neck.X, neck.Y)
		inside.FillPolygon(p.paint.ink, head)
	}
}
