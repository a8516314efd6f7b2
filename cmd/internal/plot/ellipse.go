package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Ellipse is the uncertainty of a position: its mean and the covariance of its coordinates. It is
// drawn one standard deviation wide.
type Ellipse struct{ X, Y, XX, XY, YY float64 }

// corners is the number of corners of a drawn ellipse.
const corners = 48

// outline returns points L (cos t, sin t) on the ellipse, where L L' is the covariance. It returns
// nil for an invalid covariance.
func (e Ellipse) outline(f viewport) []vg.Point {
	a := math.Sqrt(e.XX)
	b := e.XY / a
	c := math.Sqrt(max(e.YY-b*b, 0))
	if e.XX == 0 {
		b, c = 0, math.Sqrt(e.YY)
	}
	if !isFinite(e.X + e.Y + a + b + c) {
		return nil
	}
	out := make([]vg.Point, corners+1)
	for i := range out {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		out[i] = vg.Point{
			X: f.panel.Min.X + vg.Length((e.X+a*cos-f.x0)*f.scale),
			Y: f.panel.Min.Y + vg.Length((e.Y+b*cos+c*sin-f.y0)*f.scale),
		}
	}
	return out
}

// area of the ellipse on the canvas, in square points.
func (e Ellipse) area(f viewport) float64 {
	return math.Pi * math.Sqrt(math.Max(e.XX*e.YY-e.XY*e.XY, 0)) * f.scale * f.scale
}

// drawEllipses draws the outlines and faint fills of the ellipses within the panel. The fill is so
// faint that the usual number of overlaps stays transparent. If there are as many ellipses as
// points, they have the points' colours.
func (p *picture) drawEllipses(c vgdraw.Canvas) {
	if len(p.m.Spread) == 0 {
		return
	}
	size := p.viewport.panel.Size()
	covered := 0.0
	for _, e := range p.m.Spread {
		if a := e.area(p.viewport); isFinite(a) {
			covered += math.Min(a, float64(size.X*size.Y))
		}
	}
	const full, faintest, faintestLine = 0.30, 0.012, 0.12
	layers := math.Max(1, 3*covered/float64(size.X*size.Y))
	fill, line := math.Max(full/layers, faintest), math.Max(0.7/math.Sqrt(layers), faintestLine)
	inside := vgdraw.Canvas{Canvas: c.Canvas, Rectangle: p.viewport.panel}
	for i, e := range p.m.Spread {
		around := e.outline(p.viewport)
		own := len(p.m.Spread) == len(p.m.X)
		if around == nil || own && p.m.dimmed(i) {
			continue
		}
		color := p.paint.faint
		if own {
			color, _ = p.paint.color(p.m, i)
		}
		if clipped := inside.ClipPolygonXY(around); len(clipped) > 2 {
			inside.FillPolygon(faded(color, fill), clipped)
		}
		inside.StrokeLines(vgdraw.LineStyle{Color: faded(color, line), Width: 0.6}, inside.ClipLinesXY(around)...)
	}
}
