package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"unfold/cmd/internal/humanize"
)

// Sizes of the layout, in points: title and subtitle above the panel, tick numbers left of it and
// below, the legend's column to its right.
const (
	edge       = 18
	titleSize  = 17
	textSize   = 10.5
	smallSize  = 8.5
	headHeight = 48
	footHeight = 34
	tickWidth  = 24
	legendGap  = 16
	lineHeight = 17
	barWidth   = 14
)

// panel returns the rectangle of the map.
func panel(s Settings, p paint) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: edge + tickWidth, Y: footHeight},
		Max: vg.Point{
			X: points(s.Width) - edge - legendWidth(p) - legendGap,
			Y: points(s.Height) - headHeight,
		},
	}
}

func (p *picture) draw(out surface) {
	c := out.canvas()
	whole := panel(p.s, p.paint)
	p.drawHead(c, whole)
	if p.facets == nil {
		p.drawMap(out)
	}
	for _, f := range p.facets {
		f.drawMap(out)
		f.drawCaption(c)
		p.drawn.Unnamed += f.drawn.Unnamed
	}
	box := vg.Rectangle{
		Min: vg.Point{X: whole.Max.X + legendGap, Y: whole.Min.Y},
		Max: vg.Point{X: whole.Max.X + legendGap + legendWidth(p.paint), Y: whole.Max.Y},
	}
	p.drawSizes(c, box)
	box.Min.Y += p.sizesHeight()
	if p.paint.ramped {
		p.drawScale(c, box)
	} else if p.m.Class != nil {
		p.drawLegend(c, box)
	}
	p.drawn.Boxes = p.paint.fonts.missing()
	p.drawFoot(c, whole)
}

func (p *picture) drawMap(out surface) {
	c := out.canvas()
	p.drawGrid(c)
	if shine := p.glow(); shine != nil {
		out.shine(shine, p.viewport)
	}
	p.drawEllipses(c)
	out.points(p.dots, p.viewport)
	p.drawRings(c)
	p.drawMoves(c)
	p.drawEdge(c)
	if !p.s.NoNames {
		p.drawn.Unnamed = p.drawNames(c)
	}
}

func (p *picture) drawHead(c vgdraw.Canvas, whole vg.Rectangle) {
	left, top := whole.Min.X, whole.Max.Y
	title, below := p.paint.style(titleSize, p.paint.ink, true), p.paint.style(textSize, p.paint.faint, false)
	room := points(p.s.Width) - edge - left
	title, below = smaller(title, p.m.Title, room), smaller(below, p.m.Subtitle, room)
	c.FillText(title, vg.Point{X: left, Y: top + 24}, fittedText(title, p.m.Title, room))
	c.FillText(below, vg.Point{X: left, Y: top + 9}, fittedText(below, p.m.Subtitle, room))
}

// drawGrid draws faint lines at equal distances in both directions, which show that both axes have
// one scale, and their numbers outside the panel.
func (p *picture) drawGrid(c vgdraw.Canvas) {
	f, line := p.viewport, vgdraw.LineStyle{Color: p.paint.grid, Width: 0.6}
	numbers := p.paint.style(smallSize, p.paint.faint, false)
	for _, x := range f.ticks(f.x0, f.x1) {
		at, _ := f.at(x, f.y0)
		c.StrokeLine2(line, at.X, f.panel.Min.Y, at.X, f.panel.Max.Y)
		if !p.bare {
			c.FillText(aligned(numbers, text.XCenter, text.YTop), vg.Point{X: at.X, Y: f.panel.Min.Y - 4}, tick(x, f.step))
		}
	}
	for _, y := range f.ticks(f.y0, f.y1) {
		at, _ := f.at(f.x0, y)
		c.StrokeLine2(line, f.panel.Min.X, at.Y, f.panel.Max.X, at.Y)
		if !p.bare {
			c.FillText(aligned(numbers, text.XRight, text.YCenter), vg.Point{X: f.panel.Min.X - 4, Y: at.Y}, tick(y, f.step))
		}
	}
}

func (p *picture) drawEdge(c vgdraw.Canvas) {
	r := p.viewport.panel
	c.StrokeLines(vgdraw.LineStyle{Color: p.paint.edge, Width: 0.8},
		[]vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}

// drawFoot writes notes on points that are not shown at their position.
func (p *picture) drawFoot(c vgdraw.Canvas, whole vg.Rectangle) {
	s := p.paint.style(smallSize, p.paint.faint, false)
	c.FillText(s, vg.Point{X: whole.Min.X, Y: 7}, fittedText(s, p.drawn.Notes(), points(p.s.Width)-edge-whole.Min.X))
}

// tick formats a grid line's value so that it fits beside the panel. It uses a power of ten if
// there are too many digits.
func tick(v, step float64) string {
	const most = 7
	s := number(v, step)
	if len(s) > most {
		digits := int(math.Ceil(math.Log10(math.Abs(v)/step))) + 1
		s = strconv.FormatFloat(v, 'g', max(digits, 1), 64)
	}
	return s
}

// number writes a value with the decimals that its step needs.
func number(v, step float64) string {
	decimals := 0
	for s := step; s < 0.999 && decimals < 9; s *= 10 {
		decimals++
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	switch {
	case strings.Trim(s, "-0.") == "":
		return "0"
	case decimals == 0 && math.Abs(v) >= 10000 && math.Abs(v) < 1e15:
		return humanize.Count(int64(v))
	}
	return s
}
