package plot

import (
	"image/color"
	"math"
)

// maxClasses is the most colours that this package trusts eyes to distinguish.
const maxClasses = 10

// okabeIto are the colours of M. Okabe and K. Ito, "Color universal design"
// (2008), in an order that begins with those that stand out best on white. Its
// yellow is left out: it vanishes on white.
var okabeIto = []color.NRGBA{
	hex(0x0072B2), hex(0xE69F00), hex(0x009E73), hex(0xD55E00),
	hex(0x56B4E9), hex(0xCC79A7), hex(0x2B2B2B),
}

// tolMuted is the "muted" qualitative scheme of P. Tol, "Colour schemes" (2021),
// with a near-black as tenth.
var tolMuted = []color.NRGBA{
	hex(0x332288), hex(0xDDCC77), hex(0x117733), hex(0xCC6677), hex(0x88CCEE),
	hex(0x882255), hex(0x44AA99), hex(0x999933), hex(0xAA4499), hex(0x2B2B2B),
}

var (
	ink       = hex(0x222222)
	faintInk  = hex(0x777777)
	gridColor = hex(0xECECEC)
	edgeColor = hex(0xC8C8C8)
	otherGrey = hex(0xB4B4B4)
)

// classColors returns n colours, n <= maxClasses.
func classColors(n int) []color.NRGBA {
	if n <= len(okabeIto) {
		return okabeIto[:n]
	}
	return tolMuted[:n]
}

// viridis are eleven colours at equal steps of the scale by S. van der Walt and
// N. Smith (2015), from large to small values: on white, dark stands out.
var viridis = []color.NRGBA{
	hex(0xFDE725), hex(0xBDDF26), hex(0x7AD151), hex(0x44BF70), hex(0x22A884), hex(0x21918C),
	hex(0x2A788E), hex(0x355F8D), hex(0x414487), hex(0x482475), hex(0x440154),
}

// ramp returns the colour of t in [0,1], 0 the lightest.
func ramp(t float64) color.NRGBA {
	if math.IsNaN(t) {
		return otherGrey
	}
	at := math.Min(math.Max(t, 0), 1) * float64(len(viridis)-1)
	k := min(int(at), len(viridis)-2)
	a, b, f := viridis[k], viridis[k+1], at-float64(k)
	mix := func(u, v uint8) uint8 { return uint8(math.Round(float64(u)*(1-f) + float64(v)*f)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func hex(rgb uint32) color.NRGBA {
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
}

// faded returns c with opacity alpha in [0,1].
func faded(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(math.Round(255 * math.Min(math.Max(alpha, 0), 1)))
	return c
}
