package plot

import (
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// ringed is the maximum number of highlighted points that are marked individually.
const ringed = 40

// drawRings marks highlighted points by rings if there are few.
func (p *picture) drawRings(c vgdraw.Canvas) {
	if p.m.Bright == nil || p.bare {
		return
	}
	var few []dot
	for _, d := range p.dots {
		if p.m.Bright[d.row] {
			few = append(few, d)
		}
	}
	if len(few) > ringed {
		return
	}
	for _, d := range few {
		r := d.r + 3
		for _, line := range []vgdraw.LineStyle{{Color: faded(p.paint.ground, 0.9), Width: vg.Length(2.4)}, {Color: p.paint.ink, Width: vg.Length(1)}} {
			c.SetLineStyle(line)
			c.Stroke(circle(d.at, r))
		}
	}
}
