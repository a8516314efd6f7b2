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

// Where things stand, in points: title and subtitle above the panel, tick
// numbers left of it and below, the legend's column to its right.
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

// panel returns the rectangle of the map itself.
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
	p.drawHead(c)
	p.drawGrid(c)
	p.drawEllipses(c)
	out.points(p.dots, p.frame)
	p.drawEdge(c)
	if p.m.Class != nil && !p.s.NoNames {
		p.drawNames(c)
	}
	if p.paint.ramped {
		p.drawScale(c)
	} else if p.m.Class != nil {
		p.drawLegend(c)
	}
	p.drawFoot(c)
}

func (p *picture) drawHead(c vgdraw.Canvas) {
	left, top := p.frame.panel.Min.X, p.frame.panel.Max.Y
	c.FillText(style(titleSize, ink, true), vg.Point{X: left, Y: top + 24}, p.m.Title)
	c.FillText(style(textSize, faintInk, false), vg.Point{X: left, Y: top + 9}, p.m.Subtitle)
}

// drawGrid draws faint lines at equal distances both ways, which show that one
// scale holds for both axes, and their numbers outside the panel.
func (p *picture) drawGrid(c vgdraw.Canvas) {
	f, line := p.frame, vgdraw.LineStyle{Color: gridColor, Width: 0.6}
	numbers := style(smallSize, faintInk, false)
	for _, x := range f.ticks(f.x0, f.x1) {
		at, _ := f.at(x, f.y0)
		c.StrokeLine2(line, at.X, f.panel.Min.Y, at.X, f.panel.Max.Y)
		c.FillText(aligned(numbers, text.XCenter, text.YTop), vg.Point{X: at.X, Y: f.panel.Min.Y - 4}, tick(x, f.step))
	}
	for _, y := range f.ticks(f.y0, f.y1) {
		at, _ := f.at(f.x0, y)
		c.StrokeLine2(line, f.panel.Min.X, at.Y, f.panel.Max.X, at.Y)
		c.FillText(aligned(numbers, text.XRight, text.YCenter), vg.Point{X: f.panel.Min.X - 4, Y: at.Y}, tick(y, f.step))
	}
}

func (p *picture) drawEdge(c vgdraw.Canvas) {
	r := p.frame.panel
	c.StrokeLines(vgdraw.LineStyle{Color: edgeColor, Width: 0.8},
		[]vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}

// drawFoot says what the picture does not show as it is.
func (p *picture) drawFoot(c vgdraw.Canvas) {
	c.FillText(style(smallSize, faintInk, false), vg.Point{X: p.frame.panel.Min.X, Y: 7}, p.drawn.Notes())
}

// tick writes a grid line's value so that it fits beside the panel: as a power of
// ten where all its digits would not.
func tick(v, step float64) string {
	const most = 7
	s := number(v, step)
	if len(s) > most {
		digits := int(math.Ceil(math.Log10(math.Abs(v)/step))) + 1
		s = strconv.FormatFloat(v, 'g', max(digits, 1), 64)
	}
	return s
}

// number writes a value with as many decimals as its step needs.
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
