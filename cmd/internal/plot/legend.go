package plot

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"unfold/cmd/internal/humanize"
)

// legendWidth is the width that the column right of the panel needs.
func legendWidth(p paint) vg.Length {
	if p.ramped {
		from, to := p.ends()
		w := max(style(textSize, ink, false).Width(from), style(textSize, ink, false).Width(to))
		return max(barWidth+8+w, style(textSize, ink, true).Width(shorten(p.by, p.nameLength)))
	}
	if p.of == nil {
		return 0
	}
	w := style(textSize, ink, true).Width(shorten(p.by, p.nameLength))
	for _, k := range p.classes {
		name := style(textSize, ink, false).Width(shorten(k.name, p.nameLength))
		w = max(w, 14+name+12+style(smallSize, ink, false).Width(humanize.Count(k.n)))
	}
	return w
}

// drawLegend lists the classes with their colours and numbers of points.
func (p *picture) drawLegend(c vgdraw.Canvas) {
	left := p.frame.panel.Max.X + legendGap
	right := left + legendWidth(p.paint)
	y := p.frame.panel.Max.Y - textSize
	c.FillText(style(textSize, ink, true), vg.Point{X: left, Y: y}, shorten(p.paint.by, p.paint.nameLength))
	for _, k := range p.paint.classes {
		y -= lineHeight
		disc(c, vg.Point{X: left + 4, Y: y + 3.8}, 4, k)
		c.FillText(style(textSize, ink, false), vg.Point{X: left + 14, Y: y}, shorten(k.name, p.paint.nameLength))
		c.FillText(aligned(style(smallSize, faintInk, false), text.XRight, text.YBottom), vg.Point{X: right, Y: y + 0.7}, humanize.Count(k.n))
	}
}

func disc(c vgdraw.Canvas, at vg.Point, r vg.Length, k class) {
	var path vg.Path
	path.Move(vg.Point{X: at.X + r, Y: at.Y})
	path.Arc(at, r, 0, 2*math.Pi)
	path.Close()
	c.SetColor(k.color)
	c.Fill(path)
}

// drawScale draws the colour scale: a bar with the numbers at its ticks.
func (p *picture) drawScale(c vgdraw.Canvas) {
	left := p.frame.panel.Max.X + legendGap
	top := p.frame.panel.Max.Y - textSize - 14
	height := min(p.frame.panel.Size().Y-textSize-14, 240)
	bottom := top - height
	c.FillText(style(textSize, ink, true), vg.Point{X: left, Y: top + 14}, shorten(p.paint.by, p.paint.nameLength))
	const steps = 120
	for k := range steps {
		y := bottom + height*vg.Length(k)/steps
		// Each step reaches under the next, so that no seam shows.
		h := min(height/steps*2, top-y)
		c.FillPolygon(ramp((float64(k)+0.5)/steps), []vg.Point{
			{X: left, Y: y}, {X: left + barWidth, Y: y}, {X: left + barWidth, Y: y + h}, {X: left, Y: y + h},
		})
	}
	s := aligned(style(textSize, ink, false), text.XLeft, text.YCenter)
	from, to := p.paint.ends()
	c.FillText(s, vg.Point{X: left + barWidth + 6, Y: bottom + 3}, from)
	c.FillText(s, vg.Point{X: left + barWidth + 6, Y: top - 3}, to)
	mid := (p.paint.from + p.paint.to) / 2
	c.FillText(s, vg.Point{X: left + barWidth + 6, Y: bottom + height/2}, p.paint.number(mid))
}

// ends names the ends of the scale, with a sign where values lie beyond.
func (p paint) ends() (from, to string) {
	from, to = p.number(p.from), p.number(p.to)
	if p.below {
		from = "≤ " + from
	}
	if p.above {
		to = "≥ " + to
	}
	return from, to
}

func (p paint) number(v float64) string { return number(v, (p.to-p.from)/50) }
