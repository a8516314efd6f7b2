package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Ellipse is where a point may lie: its mean and the covariance of its coordinates. It
// is drawn one standard deviation wide.
type Ellipse struct{ X, Y, XX, XY, YY float64 }

// corners is how many an ellipse is drawn with.
const corners = 48

// outline returns points around the ellipse: with the covariance L L', L (cos t, sin t).
// What is no covariance gives none.
func (e Ellipse) outline(f frame) []vg.Point {
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

// drawEllipses draws what lies within the panel.
func (p *picture) drawEllipses(c vgdraw.Canvas) {
	look := vgdraw.LineStyle{Color: faded(faintInk, 0.5), Width: 0.5}
	inside := vgdraw.Canvas{Canvas: c.Canvas, Rectangle: p.frame.panel}
	for _, e := range p.m.Spread {
		if line := e.outline(p.frame); line != nil {
			inside.StrokeLines(look, inside.ClipLinesXY(line)...)
		}
	}
}
