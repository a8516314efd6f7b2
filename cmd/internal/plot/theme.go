package plot

import (
	"image/color"
	"math"
)

// theme is the ground of a picture and the colours of everything that is not data.
type theme struct {
	ground, ink, faint, grid, edge color.NRGBA
	// other is the grey of rarer classes, unknown that of points without a class or value.
	other, unknown color.NRGBA
	dark           bool
}

var (
	light = theme{
		ground: hex(0xFFFFFF), ink: hex(0x222222), faint: hex(0x777777), grid: hex(0xECECEC), edge: hex(0xC8C8C8),
		other: otherGrey, unknown: hex(0xD8D8D8),
	}
	dark = theme{
		ground: hex(0x12141A), ink: hex(0xEDEDED), faint: hex(0xA0A4AC), grid: hex(0x23262E), edge: hex(0x444955),
		other: hex(0x6A6E78), unknown: hex(0x484C55), dark: true,
	}
)

func themeOf(s Settings) theme {
	if s.Dark {
		return dark
	}
	return light
}

// leastContrast is the minimum contrast of text in WCAG 2.
const leastContrast = 4.5

// legible returns a class's colour dark or light enough to read as text on the ground.
func (t theme) legible(c color.NRGBA) color.NRGBA {
	for contrast(c, t.ground) < leastContrast {
		if t.dark {
			c.R, c.G, c.B = lighter(c.R), lighter(c.G), lighter(c.B)
		} else {
			c.R, c.G, c.B = scaled(c.R), scaled(c.G), scaled(c.B)
		}
	}
	return c
}

// contrast returns the contrast of two colours in 1..21 (WCAG 2).
func contrast(a, b color.NRGBA) float64 {
	high, low := luminance(a), luminance(b)
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
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

func lighter(v uint8) uint8 { return 255 - scaled(255-v) }

func hex(rgb uint32) color.NRGBA {
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
}

// faded returns c with opacity alpha in [0,1].
func faded(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(math.Round(255 * math.Min(math.Max(alpha, 0), 1)))
	return c
}

// mixed returns the colour at a share f of the way from a to b.
func mixed(a, b color.NRGBA, f float64) color.NRGBA {
	mix := func(u, v uint8) uint8 { return uint8(math.Round(float64(u)*(1-f) + float64(v)*f)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}
