package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
)

// trusted is the maximum number of classes whose colours everybody can tell apart.
const trusted = 10

// okabeIto are the colours of M. Okabe and K. Ito, "Color universal design" (2008), starting with
// those of the highest contrast on white. Its yellow is omitted, because it is invisible on white.
var okabeIto = []color.NRGBA{
	hex(0x0072B2), hex(0xE69F00), hex(0x009E73), hex(0xD55E00),
	hex(0x56B4E9), hex(0xCC79A7), hex(0x2B2B2B),
}

// okabeItoDark are those with contrast on a dark ground.
var okabeItoDark = []color.NRGBA{
	hex(0x56B4E9), hex(0xE69F00), hex(0x009E73), hex(0xD55E00),
	hex(0xF0E442), hex(0xCC79A7), hex(0xEDEDED),
}

// tolMuted is the "muted" qualitative scheme of P. Tol, "Colour schemes" (2021),
// with a near-black as tenth.
var tolMuted = []color.NRGBA{
	hex(0x332288), hex(0xDDCC77), hex(0x117733), hex(0xCC6677), hex(0x88CCEE),
	hex(0x882255), hex(0x44AA99), hex(0x999933), hex(0xAA4499), hex(0x2B2B2B),
}

// tolLight is Tol's "light" scheme, for dark grounds, without its pale grey and with an orange, a
// violet and a near-white added.
var tolLight = []color.NRGBA{
	hex(0x77AADD), hex(0xEE8866), hex(0xEEDD88), hex(0xFFAABB), hex(0x99DDFF),
	hex(0x44BB99), hex(0xAAAA00), hex(0xD26BE0), hex(0xC46A2B), hex(0xF5F5F5),
}

// otherGrey is the grey of points without their own colour, on white.
var otherGrey = hex(0xB4B4B4)

// ramps are colour scales in eleven equal steps, from dark to light: viridis, magma and
// inferno by S. van der Walt and N. Smith (2015), cividis by J. Nuñez, C. Anderton and
// R. Renslow (2018), and greys.
var ramps = map[string][]color.NRGBA{
	"viridis": {hex(0x440154), hex(0x482475), hex(0x414487), hex(0x355F8D), hex(0x2A788E), hex(0x21918C),
		hex(0x22A884), hex(0x44BF70), hex(0x7AD151), hex(0xBDDF26), hex(0xFDE725)},
	"magma": {hex(0x000004), hex(0x140E36), hex(0x3B0F70), hex(0x641A80), hex(0x8C2981), hex(0xB73779),
		hex(0xDE4968), hex(0xF7705C), hex(0xFE9F6D), hex(0xFECF92), hex(0xFCFDBF)},
	"inferno": {hex(0x000004), hex(0x160B39), hex(0x420A68), hex(0x6A176E), hex(0x932667), hex(0xBC3754),
		hex(0xDD513A), hex(0xF37819), hex(0xFCA50A), hex(0xF6D746), hex(0xFCFFA4)},
	"cividis": {hex(0x00224E), hex(0x083370), hex(0x35456C), hex(0x4F576C), hex(0x666970), hex(0x7D7C78),
		hex(0x948E77), hex(0xAEA371), hex(0xC8B866), hex(0xE5CF52), hex(0xFEE838)},
	"grey": {hex(0x101010), hex(0x262626), hex(0x3C3C3C), hex(0x525252), hex(0x686868), hex(0x7E7E7E),
		hex(0x949494), hex(0xAAAAAA), hex(0xC0C0C0), hex(0xD6D6D6), hex(0xECECEC)},
}

// Names of the palettes of classes. "position" chooses colours by the classes' positions.
const (
	byPosition = "position"
	okabeName  = "okabe-ito"
	tolName    = "tol"
)

// Palettes lists the names that Settings.Palette may have.
func Palettes() []string {
	names := []string{okabeName, tolName, byPosition}
	for name := range ramps {
		names = append(names, name)
	}
	slices.Sort(names[3:])
	return names
}

// palette is a choice of colours; the zero value chooses by the classes' names.
type palette struct {
	name   string
	colors []color.NRGBA // the explicit colours
}

// automatic reports whether a class's colour is that of its shade.
func (p palette) automatic() bool { return p.name == "" && p.colors == nil }

// paletteOf parses a palette's name, or its colours as #rrggbb separated by commas.
func paletteOf(text string) (palette, error) {
	if text == "" || slices.Contains(Palettes(), text) {
		return palette{name: text}, nil
	}
	var p palette
	if !strings.HasPrefix(text, "#") {
		return p, fmt.Errorf("plot: there is no palette %q; known are %s, and colours as #0072b2,#e69f00", text, strings.Join(Palettes(), ", "))
	}
	for _, one := range strings.Split(text, ",") {
		digits, ok := strings.CutPrefix(strings.TrimSpace(one), "#")
		v, err := strconv.ParseUint(digits, 16, 24)
		if !ok || err != nil || len(digits) != 6 {
			return p, fmt.Errorf("plot: %q is no colour; write it as #0072b2", one)
		}
		p.colors = append(p.colors, hex(uint32(v)))
	}
	return p, nil
}

// classes returns n colours, or nil if they must be chosen by position.
func (p palette) classes(n int, t theme) []color.NRGBA {
	few, many := okabeIto, tolMuted
	if t.dark {
		few, many = okabeItoDark, tolLight
	}
	switch {
	case p.colors != nil:
		return cycled(p.colors, n)
	case p.name == okabeName:
		return cycled(few, n)
	case p.name == tolName:
		return cycled(many, n)
	case ramps[p.name] != nil:
		out := make([]color.NRGBA, n)
		for i := range out {
			out[i] = p.ramp((float64(i)+0.5)/float64(n), t)
		}
		return out
	case p.name == byPosition:
		return nil
	}
	return farColors(n, t)
}

// cycled repeats colours until there are n.
func cycled(colors []color.NRGBA, n int) []color.NRGBA {
	out := make([]color.NRGBA, n)
	for i := range out {
		out[i] = colors[i%len(colors)]
	}
	return out
}

// ramp returns the colour of t in [0,1], or of NaN for an unknown value. Large values contrast with
// the ground: 1 is dark on white, light on dark. Explicit colours run from 0 to 1.
func (p palette) ramp(t float64, of theme) color.NRGBA {
	if math.IsNaN(t) {
		return of.other
	}
	t = math.Min(math.Max(t, 0), 1)
	stops := p.colors
	if stops == nil {
		if stops = ramps[p.name]; stops == nil {
			stops = ramps["viridis"]
		}
		if !of.dark {
			t = 1 - t
		}
	}
	if len(stops) == 1 {
		return mixed(of.grid, stops[0], t)
	}
	at := t * float64(len(stops)-1)
	k := min(int(at), len(stops)-2)
	return mixed(stops[k], stops[k+1], at-float64(k))
}
