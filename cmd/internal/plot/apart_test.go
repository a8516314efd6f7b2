package plot

import (
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot/vg"
)

// leastApart returns the smallest difference of two colours, in CIE Lab.
func leastApart(colors []color.NRGBA, eye [9]float64) float64 {
	least := math.Inf(1)
	for i := range colors {
		for j := range i {
			least = math.Min(least, distance(lab(seen(colors[i], eye)), lab(seen(colors[j], eye))))
		}
	}
	return least
}

// A hundred colours are all distinguishable, and contrast with the ground.
func TestAHundredColours(t *testing.T) {
	for name, ground := range map[string]theme{"light": light, "dark": dark} {
		colors := farColors(100, ground)
		if d := leastApart(colors, deficiencies["normal"]); d < 7 {
			t.Errorf("%s: two colours are only %.1f apart", name, d)
		}
		white := lab(seen(ground.ground, deficiencies["normal"]))
		for _, c := range colors {
			if d := distance(white, lab(seen(c, deficiencies["normal"]))); d < 20 {
				t.Errorf("%s: %v is only %.1f from the ground", name, c, d)
			}
		}
		if d := leastApart(farColors(20, ground), deficiencies["deuteranopia"]); d < 4 {
			t.Errorf("%s: of 20 colours two are only %.1f apart for deuteranopes", name, d)
		}
	}
}

// Classes that are close on the map have dissimilar colours, more so than by chance and than
// classes on average.
func TestNearClassesAreUnlike(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	places := make([]vg.Point, 100)
	for i := range places {
		places[i] = vg.Point{X: vg.Length(700 * r.Float64()), Y: vg.Length(500 * r.Float64())}
	}
	colors := farColors(len(places), light)
	// alike returns the share of each place's three nearest places with a similar colour.
	alike := func(of []int) float64 {
		sum := 0.0
		for i, p := range places {
			order := inSizeOrder(len(places), func(j int) int {
				return -int(1000 * math.Hypot(float64(p.X-places[j].X), float64(p.Y-places[j].Y)))
			})
			for _, j := range order[1:4] {
				if toneOf(colors[of[i]]).unlike(toneOf(colors[of[j]])) < 40 {
					sum += 1 / 3.0 / float64(len(places))
				}
			}
		}
		return sum
	}
	dealt := deal(places, colors)
	used := make([]bool, len(colors))
	for _, c := range dealt {
		if used[c] {
			t.Fatalf("colour %d is dealt twice", c)
		}
		used[c] = true
	}
	chance := alike(r.Perm(len(colors)))
	if got := alike(dealt); got > chance/4 {
		t.Errorf("a share of %.3f of near classes are alike, by chance %.3f", got, chance)
	}
}

// Palettes for a dark ground satisfy the same conditions as those for white.
func TestDarkPalettes(t *testing.T) {
	for name, colors := range map[string][]color.NRGBA{"okabe-ito": okabeItoDark, "tol": tolLight} {
		for eye, m := range deficiencies {
			if d := leastApart(colors, m); d < 6 {
				t.Errorf("%s, %s: two colours are only %.1f apart", name, eye, d)
			}
		}
		for _, c := range append(colors, dark.other) {
			if d := distance(lab(seen(dark.ground, deficiencies["normal"])), lab(seen(c, deficiencies["normal"]))); d < 20 {
				t.Errorf("%s: %v is only %.1f from the ground", name, c, d)
			}
			if got := contrast(dark.legible(c), dark.ground); got < leastContrast {
				t.Errorf("%s: a name in %v has a contrast of %.1f", name, c, got)
			}
		}
	}
}

// Every ramp gets steadily darker on white and lighter on a dark ground, so that it can be read
// without colour.
func TestRampsAreEven(t *testing.T) {
	for name := range ramps {
		last := math.Inf(-1)
		for k := range 101 {
			l := lab(seen(palette{name: name}.ramp(float64(k)/100, dark), deficiencies["normal"]))[0]
			if l <= last-0.3 {
				t.Errorf("%s gets darker at %d%%", name, k)
			}
			last = l
		}
		if a, b := (palette{name: name}).ramp(1, light), (palette{name: name}).ramp(0, dark); a != b {
			t.Errorf("%s: large values are %v on white, small ones %v on dark", name, a, b)
		}
	}
}

func TestPalettesByName(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"default": {"", true}, "known": {"tol", true}, "own": {"#102030, #ffffff", true},
		"unknown": {"rainbow", false}, "short": {"#123", false}, "no colour": {"#gggggg", false}, "half": {"#102030,blue", false},
	} {
		if _, err := paletteOf(c.text); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	own, _ := paletteOf("#102030,#405060")
	if got := own.classes(3, light); got[0] != hex(0x102030) || got[1] != hex(0x405060) || got[2] != got[0] {
		t.Errorf("own colours: %v", got)
	}
	if own.ramp(0, light) != hex(0x102030) || own.ramp(1, light) != hex(0x405060) {
		t.Error("own colours are not the ends of their ramp")
	}
}
