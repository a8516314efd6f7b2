package plot

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// Shade is the kind of shading below the dots.
type Shade string

const (
	// Glow is the zero value: a glow in the colours of the classes, stronger where dots are denser.
	// It is off where colour shows an amount, because they would mix.
	Glow Shade = ""
	// Density shades by the density of dots, without colour.
	Density Shade = "density"
	// Plain leaves the ground as it is.
	Plain Shade = "none"
)

// The glow is drawn on a grid of glowCell points. Three box blurs of glowReach cells to either side
// approximate a normal distribution. This is for a panel with sides of glowSide points; smaller
// panels have a smaller blur. The glow covers at most glowMost of the ground.
const (
	glowCell  = 2.0
	glowReach = 5
	glowSide  = 600
	glowMost  = 0.34
	// glowDark is glowMost for a dark ground, where light is more visible.
	glowDark = 0.42
)

// glow returns the shading of a panel, one pixel a cell, nil if there is none.
func (p *picture) glow() *image.NRGBA {
	if p.s.Shade == Plain || p.s.Shade == Glow && p.paint.ramped || len(p.dots) == 0 {
		return nil
	}
	size := p.viewport.panel.Size()
	w, h := int(math.Ceil(float64(size.X)/glowCell)), int(math.Ceil(float64(size.Y)/glowCell))
	// The grid has red, green and blue in linear light, and weight.
	var grid [4][]float64
	for k := range grid {
		grid[k] = make([]float64, w*h)
	}
	for _, d := range distinct(p.dots) { // coincident dots count once
		if d.hollow || d.back {
			continue
		}
		x := min(max(int(float64(d.at.X-p.viewport.panel.Min.X)/glowCell), 0), w-1)
		y := min(max(h-1-int(float64(d.at.Y-p.viewport.panel.Min.Y)/glowCell), 0), h-1)
		c := d.color
		if p.s.Shade == Density {
			c = p.paint.ink
		}
		for k, v := range []float64{linear(c.R), linear(c.G), linear(c.B), 1} {
			grid[k][y*w+x] += v
		}
	}
	reach := max(1, int(math.Round(glowReach*math.Min(1, math.Sqrt(float64(size.X*size.Y))/glowSide))))
	for k := range grid {
		for range 3 {
			blur(grid[k], w, h, reach)
		}
	}
	return p.lit(grid, w, h, 1/(2*math.Pi*variance(reach)))
}

// variance returns the variance of three boxes, in cells.
func variance(reach int) float64 { return float64((2*reach+1)*(2*reach+1)-1) / 4 }

// lit converts blurred sums to an image: opacity 1 - exp(-weight / typical), where typical is the
// mean weight over cells that are not empty, and the mean colour. lone is the weight at a single
// dot.
func (p *picture) lit(grid [4][]float64, w, h int, lone float64) *image.NRGBA {
	sum, n := 0.0, 0
	empty := 0.1 * lone
	for _, v := range grid[3] {
		if v > empty {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return nil
	}
	// A few single dots must not glow as brightly as crowds.
	const fewest = 4 // number of dots at a place that glow as a crowd
	typical := math.Max(1.2*sum/float64(n), fewest*lone)
	most := glowMost
	if p.paint.dark {
		most = glowDark
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, v := range grid[3] {
		if v <= empty {
			continue
		}
		alpha := most * (1 - math.Exp(-v/typical))
		img.SetNRGBA(i%w, i/w, color.NRGBA{gamma(grid[0][i] / v), gamma(grid[1][i] / v), gamma(grid[2][i] / v), uint8(math.Round(255 * alpha))})
	}
	return img
}

// gamma is the sRGB transfer curve, which linear undoes.
func gamma(x float64) uint8 {
	if x = math.Min(math.Max(x, 0), 1); x <= 0.0031308 {
		return uint8(math.Round(255 * 12.92 * x))
	}
	return uint8(math.Round(255 * (1.055*math.Pow(x, 1/2.4) - 0.055)))
}

// blur replaces each cell by the mean over the cells up to reach away, first in rows, then in
// columns; cells beyond the edge are zero.
func blur(v []float64, w, h, reach int) {
	line := make([]float64, max(w, h))
	pass := func(n int, at func(i int) *float64) {
		sum := 0.0
		for i := range min(reach, n) {
			sum += *at(i)
		}
		for i := range n {
			if i+reach < n {
				sum += *at(i + reach)
			}
			if i-reach-1 >= 0 {
				sum -= *at(i - reach - 1)
			}
			line[i] = math.Max(sum, 0) / float64(2*reach+1)
		}
		for i := range n {
			*at(i) = line[i]
		}
	}
	for y := range h {
		pass(w, func(i int) *float64 { return &v[y*w+i] })
	}
	for x := range w {
		pass(h, func(i int) *float64 { return &v[i*w+x] })
	}
}

// enlarged returns an image of w x h pixels, interpolated between the pixels of src.
func enlarged(src *image.NRGBA, w, h int) *image.NRGBA {
	sw, sh := src.Rect.Dx(), src.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		fy := math.Min(math.Max((float64(y)+0.5)*float64(sh)/float64(h)-0.5, 0), float64(sh-1))
		y0 := int(fy)
		y1, b := min(y0+1, sh-1), fy-float64(y0)
		for x := range w {
			fx := math.Min(math.Max((float64(x)+0.5)*float64(sw)/float64(w)-0.5, 0), float64(sw-1))
			x0 := int(fx)
			x1, a := min(x0+1, sw-1), fx-float64(x0)
			// Colours are weighted by opacity, so that transparent pixels contribute none.
			var rgb [3]float64
			var alpha float64
			for _, q := range []struct {
				x, y int
				w    float64
			}{{x0, y0, (1 - a) * (1 - b)}, {x1, y0, a * (1 - b)}, {x0, y1, (1 - a) * b}, {x1, y1, a * b}} {
				at := src.PixOffset(q.x, q.y)
				o := q.w * float64(src.Pix[at+3])
				alpha += o
				for k := range rgb {
					rgb[k] += o * float64(src.Pix[at+k])
				}
			}
			if alpha == 0 {
				continue
			}
			at := out.PixOffset(x, y)
			for k := range rgb {
				out.Pix[at+k] = uint8(rgb[k]/alpha + 0.5)
			}
			out.Pix[at+3] = uint8(alpha + 0.5)
		}
	}
	return out
}

// glowBox returns the rectangle that glow's image fills: whole cells from the panel's lower left
// corner.
func glowBox(panel vg.Rectangle, img *image.NRGBA) vg.Rectangle {
	return vg.Rectangle{Min: panel.Min, Max: vg.Point{
		X: panel.Min.X + glowCell*vg.Length(img.Rect.Dx()), Y: panel.Min.Y + glowCell*vg.Length(img.Rect.Dy()),
	}}
}
