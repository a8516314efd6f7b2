package plot

import (
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"unfold/internal/quantile"
)

// sizes returns a function for a row's radius relative to the median's, nil without sizes. The
// radius is 0 for sizes that are not positive.
func (m Map) sizes() func(row int) float64 {
	known := m.knownSizes()
	if m.Size == nil {
		return nil
	}
	return func(row int) float64 {
		if v := m.Size[row]; len(known) > 0 && isFinite(v) && v > 0 {
			return relativeRadius(v, quantile.Of(known, 0.5))
		}
		return 0
	}
}

// relativeRadius makes areas proportional to values, up to the factor largest.
func relativeRadius(v, typical float64) float64 { return math.Min(math.Sqrt(v/typical), largest) }

// knownSizes are the sizes above 0, ascending.
func (m Map) knownSizes() (known []float64) {
	for _, v := range m.Size {
		if isFinite(v) && v > 0 {
			known = append(known, v)
		}
	}
	slices.Sort(known)
	return known
}

// sizeKey is an entry of the key of sizes.
type sizeKey struct {
	radius vg.Length
	text   string
}

// sizeKeys returns round values with their radii, from the larger sizes down.
func (m Map) sizeKeys(unit float64) (keys []sizeKey) {
	known := m.knownSizes()
	if len(known) == 0 {
		return nil
	}
	const entries, apart = 3, 5
	v := niceStep(quantile.Of(known, 0.95) * 0.75)
	for range entries {
		r := relativeRadius(v, quantile.Of(known, 0.5)) * unit
		if k := len(keys); k == 0 || keys[k-1].radius > vg.Length(r) {
			keys = append(keys, sizeKey{vg.Length(math.Max(r, minRadius)), trimmed(number(v, v/10))})
		}
		v = niceStep(v / apart)
	}
	return keys
}

// sizesHeight returns the height of the key of sizes at the legend's foot, 0 without one.
func (p *picture) sizesHeight() vg.Length {
	if len(p.m.knownSizes()) == 0 {
		return 0
	}
	h := vg.Length(2 * lineHeight)
	for _, k := range p.m.sizeKeys(p.unit) {
		h += max(lineHeight, 2*k.radius+4)
	}
	return h
}

// drawSizes draws the key of the dots' sizes at the legend's foot.
func (p *picture) drawSizes(c vgdraw.Canvas, box vg.Rectangle) {
	y := box.Min.Y
	keys := p.m.sizeKeys(p.unit)
	if keys == nil {
		return
	}
	middle := box.Min.X + keys[0].radius
	for _, k := range slices.Backward(keys) {
		h := max(lineHeight, 2*k.radius+4)
		at := vg.Point{X: middle, Y: y + h/2}
		disc(c, at, k.radius, p.paint.faint)
		c.FillText(aligned(p.paint.style(textSize, p.paint.ink, false), text.XLeft, text.YCenter), vg.Point{X: middle + keys[0].radius + 8, Y: at.Y}, k.text)
		y += h
	}
	c.FillText(p.paint.style(textSize, p.paint.ink, true), vg.Point{X: box.Min.X, Y: y + 4}, shorten(p.m.SizeBy, p.paint.nameLength))
}
