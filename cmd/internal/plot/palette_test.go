package plot

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"strings"
	"testing"
)

// deficiencies are the matrices of G. Machado, M. Oliveira and L. Fernandes, "A
// physiologically-based model for simulation of color vision deficiency" (2009), at full severity,
// on linear RGB.
var deficiencies = map[string][9]float64{
	"normal":       {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
}

// A class has the same colour on the page and in a picture, and numbers have the same scale.
func TestThePageHasTheSameColours(t *testing.T) {
	var source []byte
	for _, name := range []string{"color", "shades"} {
		text, err := os.ReadFile("../../../web/src/" + name + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, text...)
	}
	for name, want := range map[string][]color.NRGBA{"farOnLight": farColors(MaxClasses, light), "farOnDark": farColors(MaxClasses, dark), "viridis": ramps["viridis"]} {
		var written []string
		for _, c := range want {
			written = append(written, fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B))
		}
		if line := fmt.Sprintf("const %s = hex(%q);", name, strings.Join(written, " ")); !strings.Contains(string(source), line) {
			t.Errorf("the page lacks %s", line)
		}
	}
}

// Any two colours of a palette are distinguishable for every kind of vision. A difference of about
// 2.3 in CIE Lab is just noticeable side by side; dots on a map need more.
func TestPalettesAreColourBlindSafe(t *testing.T) {
	for name, c := range map[string]struct {
		colors []color.NRGBA
		least  float64
	}{"okabe-ito": {okabeIto, 12}, "tol muted": {tolMuted, 8}, "the first of all": {farColors(trusted, light), 11}, "on dark": {farColors(trusted, dark), 6}} {
		for eye, m := range deficiencies {
			least := math.Inf(1)
			var a, b int
			for i := range c.colors {
				for j := range i {
					if d := distance(lab(seen(c.colors[i], m)), lab(seen(c.colors[j], m))); d < least {
						least, a, b = d, j, i
					}
				}
			}
			if least < c.least {
				t.Errorf("%s, %s: colours %d and %d are only %.1f apart", name, eye, a, b, least)
			}
		}
	}
}

// Dots contrast with the white ground, and the ramp darkens evenly, so that it can be read without
// colour.
func TestColoursStandOutFromWhite(t *testing.T) {
	white := lab([3]float64{1, 1, 1})
	for _, c := range append(append([]color.NRGBA{otherGrey}, okabeIto...), tolMuted...) {
		if d := distance(white, lab(seen(c, deficiencies["normal"]))); d < 20 {
			t.Errorf("%v is only %.1f away from white", c, d)
		}
	}
	last := math.Inf(1)
	for k := range 101 {
		l := lab(seen(palette{}.ramp(float64(k)/100, light), deficiencies["normal"]))[0]
		if l >= last {
			t.Errorf("the ramp gets lighter at %d%%", k)
		}
		last = l
	}
}

func TestNamesAreLegible(t *testing.T) {
	for _, c := range append(append([]color.NRGBA{}, okabeIto...), tolMuted...) {
		// WCAG 2 requires a contrast of 4.5 for text and 3 for large bold text.
		if contrast := 1.05 / (luminance(light.legible(c)) + 0.05); contrast < 4.5 {
			t.Errorf("a name in %v has a contrast of %.1f to white", light.legible(c), contrast)
		}
	}
}

func TestRampBounds(t *testing.T) {
	ramp := func(t float64) color.NRGBA { return palette{}.ramp(t, light) }
	if ramp(-1) != ramp(0) || ramp(2) != ramp(1) {
		t.Error("values beyond the ramp do not get its ends' colours")
	}
	if ramp(math.NaN()) != otherGrey {
		t.Error("a missing value is not grey")
	}
}

// seen returns the linear RGB that an eye with the deficiency sees.
func seen(c color.NRGBA, m [9]float64) [3]float64 {
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	var out [3]float64
	for k := range out {
		out[k] = math.Min(math.Max(m[3*k]*r+m[3*k+1]*g+m[3*k+2]*b, 0), 1)
	}
	return out
}

// A class has the same colour whatever the number of points of it and of the others.
func TestColorsFollowNames(t *testing.T) {
	colors := func(classes ...string) map[string]color.NRGBA {
		xy := make([]float64, len(classes))
		p, err := newPaint(Map{X: xy, Y: xy, Class: classes}, Settings{Width: 500, Height: 500, Classes: 20})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]color.NRGBA{}
		for _, k := range p.classes {
			out[k.name] = k.color
		}
		return out
	}
	few, many := colors("b", "a", "class 10", "class 2"), colors("b", "class 2", "class 2", "class 2", "class 10", "class 10", "a")
	for name, c := range few {
		if many[name] != c {
			t.Errorf("%s has the colours %v and %v", name, c, many[name])
		}
	}
	// A class takes the colour that it asks for, if no other has it.
	for name, want := range map[string]int{"class 10": 10, "class 2": 2} {
		if few[name] != farColors(11, light)[want] {
			t.Errorf("%s has the colour %v, not that of its number", name, few[name])
		}
	}
}
