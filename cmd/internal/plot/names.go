package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// drawNames writes every class's name where the class is densest, the larger
// classes first; a name that would cover another one is left to the legend.
func (p *picture) drawNames(c vgdraw.Canvas) {
	peaks := p.peaks()
	order := make([]int, len(p.paint.classes))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.paint.classes[b].n, p.paint.classes[a].n), cmp.Compare(a, b))
	})
	var taken []vg.Rectangle
	for _, k := range order {
		class := p.paint.classes[k]
		if class.other || class.n == 0 {
			continue
		}
		s := aligned(style(13, darker(class.color), true), text.XCenter, text.YCenter)
		name := shorten(class.name, p.paint.nameLength)
		w, h := s.Width(name), s.Height(name)
		at, in := peaks[k], p.frame.panel
		at.X = min(max(at.X, in.Min.X+w/2+3), in.Max.X-w/2-3)
		at.Y = min(max(at.Y, in.Min.Y+h/2+3), in.Max.Y-h/2-3)
		box := vg.Rectangle{Min: vg.Point{X: at.X - w/2 - 2, Y: at.Y - h/2 - 1}, Max: vg.Point{X: at.X + w/2 + 2, Y: at.Y + h/2 + 1}}
		if slices.ContainsFunc(taken, func(t vg.Rectangle) bool { return overlap(t, box) }) {
			continue
		}
		taken = append(taken, box)
		halo(c, s, at, name)
	}
}

// peaks returns for every class the middle of its densest spot: the cell with
// the most of its dots in a 5 x 5 neighbourhood.
func (p *picture) peaks() []vg.Point {
	const cell = 12 // points
	panel := p.frame.panel
	w, h := int(float64(panel.Size().X)/cell)+1, int(float64(panel.Size().Y)/cell)+1
	peaks := make([]vg.Point, len(p.paint.classes))
	byClass := make([][]vg.Point, len(p.paint.classes))
	for _, d := range p.dots {
		byClass[d.class] = append(byClass[d.class], d.at)
	}
	for k, dots := range byClass {
		grid := make([]int, w*h)
		for _, at := range dots {
			x, y := int(float64(at.X-panel.Min.X)/cell), int(float64(at.Y-panel.Min.Y)/cell)
			grid[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)]++
		}
		best := -1
		for y := range h {
			for x := range w {
				sum := 0
				for v := max(0, y-2); v <= min(h-1, y+2); v++ {
					for u := max(0, x-2); u <= min(w-1, x+2); u++ {
						sum += grid[v*w+u]
					}
				}
				if sum > best {
					best = sum
					peaks[k] = vg.Point{X: panel.Min.X + vg.Length(float64(x)+0.5)*cell, Y: panel.Min.Y + vg.Length(float64(y)+0.5)*cell}
				}
			}
		}
	}
	return peaks
}

// darker returns a class's colour dark enough to read as text on white.
func darker(c color.NRGBA) color.NRGBA {
	for luminance(c) > 0.18 {
		c.R, c.G, c.B = scaled(c.R), scaled(c.G), scaled(c.B)
	}
	return c
}

// luminance is the relative luminance of a colour in 0..1 (WCAG 2).
func luminance(c color.NRGBA) float64 {
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// linear undoes the sRGB transfer curve.
func linear(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

func scaled(v uint8) uint8 { return uint8(math.Floor(float64(v) * 0.92)) }

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
