package plot

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"unfold/cmd/internal/humanize"
)

// ticksOfBar is the approximate number of ticks of a colour bar.
const ticksOfBar = 5

// legendWidth returns the width of the column right of the panel.
func legendWidth(p paint) vg.Length {
	if !p.ramped && p.of == nil && p.sizeBy == "" {
		return 0
	}
	heading := p.style(textSize, p.ink, true)
	w := max(heading.Width(shorten(p.by, p.nameLength)), heading.Width(shorten(p.sizeBy, p.nameLength)), leastLegend)
	number := p.style(textSize, p.ink, false)
	if p.ramped {
		for _, m := range p.marks() {
			w = max(w, barWidth+6+number.Width(m.text))
		}
		if p.unknown > 0 {
			w = max(w, p.entryWidth(class{name: unknownName, n: p.unknown}))
		}
		return w
	}
	for _, k := range p.classes {
		if p.of != nil {
			w = max(w, p.entryWidth(k))
		}
	}
	return w
}

// leastLegend is the width that the key of sizes needs.
const leastLegend = 60

func (p paint) entryWidth(k class) vg.Length {
	name := p.style(textSize, p.ink, false).Width(shorten(k.name, p.nameLength))
	return 14 + name + 12 + p.style(smallSize, p.ink, false).Width(humanize.Count(k.n))
}

// unknownName is the legend's name for points without a value.
const unknownName = "unknown"

// drawLegend lists the classes with their colours and numbers of points, or the largest classes if
// there is not enough space.
func (p *picture) drawLegend(c vgdraw.Canvas, box vg.Rectangle) {
	y := p.heading(c, box)
	shown := p.listed(int(float64((y - box.Min.Y) / lineHeight)))
	for _, k := range shown {
		y -= lineHeight
		p.entry(c, box, y, k)
	}
	if more := len(p.paint.classes) - len(shown); more > 0 {
		y -= lineHeight
		c.FillText(p.paint.style(smallSize, p.paint.faint, false), vg.Point{X: box.Min.X + 14, Y: y}, fmt.Sprintf("and %d more", more))
	}
}

// listed returns the entries of the legend that fit in the given number of lines, in order.
func (p *picture) listed(lines int) []class {
	all := p.paint.classes
	if len(all) <= lines {
		return all
	}
	keep := make([]bool, len(all))
	order := inSizeOrder(len(all), func(i int) int {
		if all[i].other { // only the legend explains greys
			return math.MaxInt
		}
		return all[i].n
	})
	for _, i := range order[:max(lines-1, 1)] {
		keep[i] = true
	}
	var out []class
	for i, k := range all {
		if keep[i] {
			out = append(out, k)
		}
	}
	return out
}

func (p *picture) heading(c vgdraw.Canvas, box vg.Rectangle) vg.Length {
	y := box.Max.Y - textSize
	c.FillText(p.paint.style(textSize, p.paint.ink, true), vg.Point{X: box.Min.X, Y: y}, shorten(p.paint.by, p.paint.nameLength))
	return y
}

// entry writes a line of the legend.
func (p *picture) entry(c vgdraw.Canvas, box vg.Rectangle, y vg.Length, k class) {
	color, name := k.color, p.paint.ink
	if k.quiet {
		color, name = p.paint.other, p.paint.faint
	}
	disc(c, vg.Point{X: box.Min.X + 4, Y: y + 3.8}, 4, color)
	c.FillText(p.paint.style(textSize, name, false), vg.Point{X: box.Min.X + 14, Y: y}, shorten(k.name, p.paint.nameLength))
	c.FillText(aligned(p.paint.style(smallSize, p.paint.faint, false), text.XRight, text.YBottom), vg.Point{X: box.Max.X, Y: y + 0.7}, humanize.Count(k.n))
}

func disc(c vgdraw.Canvas, at vg.Point, r vg.Length, color color.Color) {
	c.SetColor(color)
	c.Fill(circle(at, r))
}

func circle(at vg.Point, r vg.Length) (path vg.Path) {
	path.Move(vg.Point{X: at.X + r, Y: at.Y})
	path.Arc(at, r, 0, 2*math.Pi)
	path.Close()
	return path
}

// drawScale draws the colour scale, a bar with ticks, and the entry for missing values below it.
func (p *picture) drawScale(c vgdraw.Canvas, box vg.Rectangle) {
	left, top := box.Min.X, p.heading(c, box)-14
	height := min(top-box.Min.Y-lineHeight, 240)
	bottom := top - height
	const steps = 120
	for k := range steps {
		y := bottom + height*vg.Length(k)/steps
		// Each step extends below the next, so that no seam is visible.
		h := min(height/steps*2, top-y)
		c.FillPolygon(p.paint.palette.ramp((float64(k)+0.5)/steps, p.paint.theme), []vg.Point{
			{X: left, Y: y}, {X: left + barWidth, Y: y}, {X: left + barWidth, Y: y + h}, {X: left, Y: y + h},
		})
	}
	s := aligned(p.paint.style(textSize, p.paint.ink, false), text.XLeft, text.YCenter)
	for _, m := range p.paint.marks() {
		y := bottom + height*vg.Length(m.at)
		c.StrokeLine2(vgdraw.LineStyle{Color: p.paint.faint, Width: 0.6}, left+barWidth, y, left+barWidth+3, y)
		c.FillText(s, vg.Point{X: left + barWidth + 6, Y: min(max(y, bottom+3), top-3)}, m.text)
	}
	if p.paint.unknown > 0 {
		p.entry(c, box, bottom-1.6*lineHeight, class{name: unknownName, n: p.paint.unknown, color: p.paint.other})
	}
}

// marks returns the ticks of the colour bar.
func (p paint) marks() []mark { return p.scale.marks(ticksOfBar, p.below, p.above) }
