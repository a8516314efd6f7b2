package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// History is a picture of a map's history: panels above each other with a common horizontal axis.
type History struct {
	// Title and Subtitle are written above the picture. Either may be empty.
	Title, Subtitle string
	// Along is the label of the horizontal axis, and At the ascending positions of the values on
	// it. Marks are positions with a vertical line in all panels.
	Along     string
	At, Marks []float64
	Panels    []Panel
}

// Panel is one diagram of a History.
type Panel struct {
	Title string
	// Series are lines over At, in up to seven colours.
	Series []Series
	// Level, unless 0, is a horizontal reference line.
	Level float64
	// Log, unless 0, makes the vertical axis logarithmic. Values below Log are drawn at Log.
	Log float64
	// Relative means that only differences of the values matter, so the axis need not include 0.
	Relative bool
}

// Series is a line with one value for each position; it is interrupted at values that are not
// finite.
type Series struct {
	Name   string
	Values []float64
	// Alone, if not nil, marks values that are drawn as rings without a line.
	Alone []bool
}

// HistoryPNG draws h and writes it to w as PNG.
func HistoryPNG(w io.Writer, h History, s Settings) error { return writeHistory(w, h, s, newPNG) }

// HistoryPDF draws h and writes it to w as a PDF of one page.
func HistoryPDF(w io.Writer, h History, s Settings) error { return writeHistory(w, h, s, newPDF) }

// HistorySVG draws h and writes it to w as SVG.
func HistorySVG(w io.Writer, h History, s Settings) error { return writeHistory(w, h, s, newSVG) }

func writeHistory(w io.Writer, h History, s Settings, open func(Settings) surface) error {
	s, err := s.withDefaults()
	if err != nil {
		return err
	}
	if err := h.check(); err != nil {
		return err
	}
	out := open(s)
	h.draw(out.canvas(), newLook(s), points(s.Width), points(s.Height))
	return out.writeTo(w)
}

func (h History) check() error {
	if len(h.At) == 0 || len(h.Panels) == 0 {
		return fmt.Errorf("plot: a history of %d values in %d panels: nothing to draw", len(h.At), len(h.Panels))
	}
	for _, p := range h.Panels {
		if len(p.Series) > len(okabeIto) {
			return fmt.Errorf("plot: %d lines in %q; colours that anyone can tell apart are %d", len(p.Series), p.Title, len(okabeIto))
		}
		for _, s := range p.Series {
			if len(s.Values) != len(h.At) || s.Alone != nil && len(s.Alone) != len(h.At) {
				return fmt.Errorf("plot: %d values of %q at %d places, %d of them marked or not", len(s.Values), s.Name, len(h.At), len(s.Alone))
			}
		}
	}
	return nil
}

const (
	panelHead   = 20 // above each panel, for its title
	historyTick = 34
	// A single position has no extent, so it is in the middle of this range.
	single = 0.5
	// inset is the margin at the first and the last position, as a share of the width. loneDot is the
	// radius of a value between two interruptions.
	inset   = 0.02
	loneDot = 2
	// aloneRing is the radius of a value in Alone.
	aloneRing = 3
	// fewPlaces is the number of positions up to which every value is also a dot.
	fewPlaces = 20
)

func (h History) draw(c vgdraw.Canvas, l look, width, height vg.Length) {
	left, right := vg.Length(edge+historyTick), width-edge
	top := height - headHeight
	c.FillText(l.style(titleSize, l.ink, true), vg.Point{X: left, Y: top + 24}, h.Title)
	c.FillText(l.style(textSize, l.faint, false), vg.Point{X: left, Y: top + 9}, h.Subtitle)
	each := (top - footHeight - smallSize) / vg.Length(len(h.Panels))
	x := span{h.At[0], h.At[len(h.At)-1]}
	if x.to == x.from {
		x = span{x.from - single, x.to + single}
	}
	x = span{x.from - inset*(x.to-x.from), x.to + inset*(x.to-x.from)}
	for i, p := range h.Panels {
		upper := top - vg.Length(i)*each
		area := vg.Rectangle{Min: vg.Point{X: left, Y: upper - each + 6}, Max: vg.Point{X: right, Y: upper - panelHead}}
		p = p.scaled()
		chart{l, h, p, area, x, p.span()}.draw(c, i == len(h.Panels)-1)
	}
	c.FillText(aligned(l.style(smallSize, l.faint, false), text.XRight, text.YBottom), vg.Point{X: right, Y: 7}, h.Along)
}

type span struct{ from, to float64 }

// at returns the position of v between two ends.
func (s span) at(v float64, from, to vg.Length) vg.Length {
	return from + vg.Length((v-s.from)/(s.to-s.from))*(to-from)
}

// scaled returns the panel with base-10 logarithms of its values, if its axis is logarithmic.
func (p Panel) scaled() Panel {
	if p.Log == 0 {
		return p
	}
	log := func(v float64) float64 {
		if !isFinite(v) {
			return v
		}
		return math.Log10(max(v, p.Log))
	}
	series := slices.Clone(p.Series)
	for i, s := range series {
		series[i].Values = make([]float64, len(s.Values))
		for k, v := range s.Values {
			series[i].Values[k] = log(v)
		}
	}
	p.Series = series
	return p
}

// logSpan returns a range of whole powers of 10 that includes all values.
func (p Panel) logSpan() span {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, v := range s.Values {
			if isFinite(v) {
				lo, hi = min(lo, math.Floor(v)), max(hi, math.Ceil(v))
			}
		}
	}
	if lo > hi {
		lo = math.Log10(p.Log)
	}
	return span{lo, max(hi, lo+1)}
}

// span returns the range of a panel: from 0, or the smallest value if that is below, to a little
// above the largest. Relative or entirely negative values get a range that need not include 0.
// Without any non-zero value it is 0 to 1.
func (p Panel) span() span {
	if p.Log != 0 {
		return p.logSpan()
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range p.Series {
		for _, v := range s.Values {
			if isFinite(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if p.Level != 0 {
		lo, hi = min(lo, p.Level), max(hi, p.Level)
	}
	switch {
	case p.Relative && lo < hi:
		lo -= 0.05 * (hi - lo)
	case hi >= 0:
		lo = min(lo, 0)
		if lo == hi {
			hi = 1
		}
	case lo > hi:
		lo, hi = 0, 1
	case lo == hi:
		lo, hi = 1.5*lo, 0.5*hi
	}
	return span{lo, hi + 0.05*(hi-lo)}
}

// chart is a panel at its position in the picture.
type chart struct {
	look
	h    History
	p    Panel
	area vg.Rectangle
	x, y span
}

// lines are the colours of lines.
func (k chart) lines() []color.NRGBA { return palette{}.classes(len(okabeIto), k.theme) }

func (k chart) draw(c vgdraw.Canvas, last bool) {
	k.grid(c, last)
	for _, m := range k.h.Marks {
		at := k.x.at(m, k.area.Min.X, k.area.Max.X)
		c.StrokeLine2(vgdraw.LineStyle{Color: k.other, Width: 0.8, Dashes: []vg.Length{3, 2}}, at, k.area.Min.Y, at, k.area.Max.Y)
	}
	if k.p.Level != 0 {
		at := k.y.at(k.p.Level, k.area.Min.Y, k.area.Max.Y)
		c.StrokeLine2(vgdraw.LineStyle{Color: k.faint, Width: 0.8}, k.area.Min.X, at, k.area.Max.X, at)
	}
	c.FillText(k.style(textSize, k.ink, true), vg.Point{X: k.area.Min.X, Y: k.area.Max.Y + 5}, k.p.Title)
	if k.p.empty() {
		middle := vg.Point{X: (k.area.Min.X + k.area.Max.X) / 2, Y: (k.area.Min.Y + k.area.Max.Y) / 2}
		c.FillText(aligned(k.style(textSize, k.faint, false), text.XCenter, text.YCenter), middle, "none yet")
	}
	at := k.area.Max.X
	for i := len(k.p.Series) - 1; i >= 0; i-- {
		s := k.p.Series[i]
		k.line(c, s, k.lines()[i])
		name := k.style(smallSize, k.lines()[i], true)
		if len(k.p.Series) > 1 {
			c.FillText(aligned(name, text.XRight, text.YBottom), vg.Point{X: at, Y: k.area.Max.Y + 5}, s.Name)
			at -= name.Width(s.Name) + 10
		}
	}
	r := k.area
	c.StrokeLines(vgdraw.LineStyle{Color: k.edge, Width: 0.8},
		[]vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}

// grid draws faint lines and their numbers; the horizontal axis has numbers only below the last
// panel.
func (k chart) grid(c vgdraw.Canvas, last bool) {
	line, numbers := vgdraw.LineStyle{Color: k.theme.grid, Width: 0.6}, k.style(smallSize, k.faint, false)
	step := niceStep((k.y.to - k.y.from) / 4)
	name := func(v float64) string { return tick(v, step) }
	if k.p.Log != 0 {
		step, name = 1, func(v float64) string { return strconv.FormatFloat(math.Pow10(int(v)), 'g', -1, 64) }
	}
	for i := math.Ceil(k.y.from / step); i*step <= k.y.to; i++ {
		at := k.y.at(i*step, k.area.Min.Y, k.area.Max.Y)
		c.StrokeLine2(line, k.area.Min.X, at, k.area.Max.X, at)
		c.FillText(aligned(numbers, text.XRight, text.YCenter), vg.Point{X: k.area.Min.X - 4, Y: at}, name(i*step))
	}
	step = max(1, niceStep((k.x.to-k.x.from)/10))
	for i := math.Ceil(k.x.from / step); i*step <= k.x.to; i++ {
		at := k.x.at(i*step, k.area.Min.X, k.area.Max.X)
		c.StrokeLine2(line, at, k.area.Min.Y, at, k.area.Max.Y)
		if last {
			c.FillText(aligned(numbers, text.XCenter, text.YTop), vg.Point{X: at, Y: k.area.Min.Y - 4}, tick(i*step, step))
		}
	}
}

// line draws a series, interrupted at missing values. A value between two interruptions is a dot,
// and so is each value if there are few.
func (k chart) line(c vgdraw.Canvas, s Series, col color.NRGBA) {
	look := vgdraw.LineStyle{Color: col, Width: 1.2}
	var run []vg.Point
	flush := func() {
		if len(run) == 1 || len(s.Values) <= fewPlaces {
			for _, at := range run {
				c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: col, Radius: loneDot, Shape: vgdraw.CircleGlyph{}}, at)
			}
		}
		if len(run) > 1 {
			c.StrokeLines(look, run)
		}
		run = nil
	}
	for i, v := range s.Values {
		at := vg.Point{X: k.x.at(k.h.At[i], k.area.Min.X, k.area.Max.X), Y: k.y.at(v, k.area.Min.Y, k.area.Max.Y)}
		switch {
		case !isFinite(v):
			flush()
		case s.Alone != nil && s.Alone[i]:
			flush()
			c.DrawGlyphNoClip(vgdraw.GlyphStyle{Color: col, Radius: aloneRing, Shape: vgdraw.RingGlyph{}}, at)
		default:
			run = append(run, at)
		}
	}
	flush()
}

// empty reports whether a panel has no value to draw.
func (p Panel) empty() bool {
	for _, s := range p.Series {
		if slices.ContainsFunc(s.Values, isFinite) {
			return false
		}
	}
	return true
}
