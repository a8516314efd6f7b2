package plot

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"unfold/cmd/internal/humanize"
)

const (
	// mostFacets is the maximum number of panels; rarer values share the last.
	mostFacets = 16
	// facetGap is the space between panels, captionHeight the height above each.
	facetGap      = 12
	captionHeight = 18
)

// split draws the map once for each value of Facet, in the same viewport. A panel has the points of
// its value in colour, and all others in grey behind them.
func (p *picture) split(x, y []float64) {
	kinds, index := chooseClasses(p.m.Facet, mostFacets-1)
	areas := tiles(panel(p.s, p.paint), len(kinds), aspect(x, y))
	of := make([]int, len(p.m.X))
	for i, f := range p.m.Facet {
		of[i] = index[f]
	}
	// One viewport keeps a position the same in all panels.
	p.viewport = newViewport(x, y, areas[0])
	for k, kind := range kinds {
		m := p.m
		m.Bright = make([]bool, len(m.X))
		for i := range m.Bright {
			m.Bright[i] = of[i] == k && !p.m.dimmed(i)
		}
		part := &picture{m: m, s: p.s, paint: p.paint, viewport: p.viewport, bare: true,
			caption: fmt.Sprintf("%s  (%s)", kind.name, humanize.Count(kind.n))}
		part.viewport.panel = areas[k]
		part.dots, _ = styleDots(m, part.viewport, p.paint, p.s.Seed)
		p.facets = append(p.facets, part)
	}
}

// aspect returns the ratio of the points' width to their height.
func aspect(x, y []float64) float64 {
	xs, ys := ascending(x), ascending(y)
	w, h := xs[len(xs)-1]-xs[0], ys[len(ys)-1]-ys[0]
	if !(w > 0) || !(h > 0) {
		return 1
	}
	return math.Min(math.Max(w/h, 0.25), 4)
}

// tiles divides an area into n panels with captions, in the number of columns that shows points of
// the given aspect largest.
func tiles(area vg.Rectangle, n int, aspect float64) (out []vg.Rectangle) {
	size := area.Size()
	var best vg.Point
	columns, most := 1, 0.0
	for c := 1; c <= n; c++ {
		rows := (n + c - 1) / c
		tile := vg.Point{
			X: (size.X - facetGap*vg.Length(c-1)) / vg.Length(c),
			Y: (size.Y - facetGap*vg.Length(rows-1)) / vg.Length(rows),
		}
		tile.Y -= captionHeight
		if scale := math.Min(float64(tile.X)/aspect, float64(tile.Y)); scale > most {
			best, columns, most = tile, c, scale
		}
	}
	for k := range n {
		row, column := vg.Length(k/columns), vg.Length(k%columns)
		top := area.Max.Y - row*(best.Y+captionHeight+facetGap) - captionHeight
		left := area.Min.X + column*(best.X+facetGap)
		out = append(out, vg.Rectangle{Min: vg.Point{X: left, Y: top - best.Y}, Max: vg.Point{X: left + best.X, Y: top}})
	}
	return out
}

// drawCaption writes a panel's value above it.
func (p *picture) drawCaption(c vgdraw.Canvas) {
	s := p.paint.style(textSize, p.paint.ink, true)
	in := p.viewport.panel
	c.FillText(s, vg.Point{X: in.Min.X, Y: in.Max.Y + 5}, fittedText(s, p.caption, in.Size().X))
}
