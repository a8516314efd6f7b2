package plot

import (
	"bytes"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"gonum.org/v1/plot/vg"
)

// Dots are shuffled by the seed alone, so that the order hides no values; unknown ones are behind
// the others.
func TestOrderOfDrawing(t *testing.T) {
	n := 500
	m := Map{X: make([]float64, n), Y: make([]float64, n), Value: make([]float64, n)}
	for i := range n {
		m.X[i], m.Y[i], m.Value[i] = float64(i%25), float64(i/25), float64(i)
	}
	for i := range 50 {
		m.Value[10*i] = math.NaN()
	}
	order := func(seed uint64) (rows []int) {
		for _, d := range prepared(t, m, Settings{Seed: seed}).dots {
			rows = append(rows, d.row)
		}
		return rows
	}
	first := order(1)
	for k, row := range first[:50] {
		if row%10 != 0 {
			t.Fatalf("dot %d is that of row %d, before all unknown ones are drawn", k, row)
		}
	}
	same, other, rises := true, true, 0
	for k, row := range order(1) {
		same = same && row == first[k]
	}
	for k, row := range order(2) {
		other = other && row == first[k]
	}
	for k := 51; k < n; k++ {
		if m.Value[first[k]] > m.Value[first[k-1]] {
			rises++
		}
	}
	if !same || other || rises < 180 || rises > 270 {
		t.Errorf("the same seed gives the same order: %v; another seed, too: %v; values rise %d times of %d", same, other, rises, n-51)
	}
}

// Points that are not highlighted are grey and behind the others; a few highlighted ones have
// rings.
func TestHighlight(t *testing.T) {
	x, y, class := blobs(800, 4, 9)
	m := Map{X: x, Y: y, Class: class, Bright: make([]bool, len(x))}
	for i := range 5 {
		m.Bright[100*i] = true
	}
	p := prepared(t, m, Settings{})
	for k, d := range p.dots {
		front := k >= len(p.dots)-5
		if m.Bright[d.row] != front {
			t.Fatalf("dot %d of %d is that of row %d", k, len(p.dots), d.row)
		}
		grey := d.color.R == d.color.G && d.color.G == d.color.B
		if grey == front {
			t.Errorf("dot %d has the colour %v", k, d.color)
		}
	}
	for _, k := range p.paint.classes {
		bright := false
		for i := range 5 {
			bright = bright || class[100*i] == k.name
		}
		if k.quiet == bright {
			t.Errorf("class %s is quiet in the legend: %v", k.name, k.quiet)
		}
	}
	rings := func(m Map) int {
		var svg bytes.Buffer
		if _, err := SVG(&svg, m, Settings{NoNames: true, Shade: Plain}); err != nil {
			t.Fatal(err)
		}
		return strings.Count(svg.String(), "<path")
	}
	with := rings(m)
	for i := range 2 * ringed {
		m.Bright[3*i] = true
	}
	if without := rings(m); with != without+10 {
		t.Errorf("%d paths with five highlighted, %d with many; expected two rings for each of five", with, without)
	}
}

// Areas of dots are proportional to sizes.
func TestSizes(t *testing.T) {
	m := Map{X: []float64{0, 1, 2, 3}, Y: []float64{0, 1, 0, 1}, Size: []float64{1, 4, 2, math.NaN()}, SizeBy: "weight"}
	radius := map[int]float64{}
	p := prepared(t, m, Settings{})
	for _, d := range p.dots {
		radius[d.row] = float64(d.r)
	}
	if r := radius[1] / radius[0]; math.Abs(r-2) > 1e-9 {
		t.Errorf("four times the value has %v times the radius", r)
	}
	if radius[3] != minRadius {
		t.Errorf("a missing size has the radius %v", radius[3])
	}
	var svg bytes.Buffer
	if _, err := SVG(&svg, m, Settings{}); err != nil || !strings.Contains(svg.String(), ">weight<") {
		t.Errorf("the legend does not explain sizes: %v", err)
	}
	for _, k := range m.sizeKeys(p.unit) {
		if k.radius <= 0 || k.text == "" {
			t.Errorf("key %+v", k)
		}
	}
}

// Panels of facets are separate, of equal size, and within the picture; each has all points.
func TestFacets(t *testing.T) {
	x, y, class := blobs(900, 3, 5)
	day := make([]string, len(x))
	for i := range day {
		day[i] = string(rune('A' + i%7))
	}
	m := Map{X: x, Y: y, Class: class, Facet: day}
	p := prepared(t, m, Settings{})
	whole := panel(p.s, p.paint)
	if len(p.facets) != 7 {
		t.Fatalf("%d panels", len(p.facets))
	}
	for i, a := range p.facets {
		box := a.viewport.panel
		if box.Min.X < whole.Min.X-1e-6 || box.Max.X > whole.Max.X+1e-6 || box.Min.Y < whole.Min.Y-1e-6 || box.Max.Y+captionHeight > whole.Max.Y+1e-6 {
			t.Errorf("panel %v in %v", box, whole)
		}
		if a.viewport.scale != p.facets[0].viewport.scale || len(a.dots) != len(x) {
			t.Errorf("panel %d has %d points and another scale: %v", i, len(a.dots), a.viewport.scale)
		}
		for _, b := range p.facets[:i] {
			if overlap(box, b.viewport.panel) {
				t.Errorf("%v lies over %v", box, b.viewport.panel)
			}
		}
	}
	var svg bytes.Buffer
	if _, err := SVG(&svg, m, Settings{}); err != nil || strings.Count(svg.String(), ">C  (") != 1 {
		t.Errorf("the caption of C is not there: %v", err)
	}
}

// A class glows in its colour, at its position and not beyond; amounts do not glow.
func TestGlow(t *testing.T) {
	x, y := cloud(nil, nil, rand.New(rand.NewPCG(6, 6)), 2000, 0, 0, 1)
	class := make([]string, len(x))
	for i := range class {
		class[i] = "class 0"
	}
	p := prepared(t, Map{X: x, Y: y, Class: class}, Settings{})
	img := p.glow()
	middle, _ := p.viewport.at(0, 0)
	in := p.viewport.panel
	at := img.NRGBAAt(int(float64(middle.X-in.Min.X)/glowCell), int(float64(in.Max.Y-middle.Y)/glowCell))
	if at.A < 40 || distance(lab(seen(at, deficiencies["normal"])), lab(seen(okabeIto[0], deficiencies["normal"]))) > 3 {
		t.Errorf("the middle shines as %v, its class is %v", at, okabeIto[0])
	}
	if corner := img.NRGBAAt(1, 1); corner.A != 0 {
		t.Errorf("the corner shines as %v", corner)
	}
	if prepared(t, Map{X: x, Y: y, Value: x}, Settings{}).glow() != nil || prepared(t, Map{X: x, Y: y}, Settings{Shade: Plain}).glow() != nil {
		t.Error("there is a glow below amounts, or where none was asked for")
	}
	dense := prepared(t, Map{X: x, Y: y, Value: x}, Settings{Shade: Density}).glow()
	if c := dense.NRGBAAt(dense.Rect.Dx()/2, dense.Rect.Dy()/2); c.R != light.ink.R {
		t.Errorf("density is shaded in %v", c)
	}
}

// A dark picture has a dark ground everywhere except where something is drawn.
func TestDark(t *testing.T) {
	img := drawPNG(t, Map{Title: "Night", X: []float64{0, 1}, Y: []float64{0, 1}, Class: []string{"a", "b"}}, Settings{Dark: true, Width: 640, Height: 480})
	bright := 0
	for y := range 480 {
		for x := range 640 {
			if luminance(color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)) > 0.05 {
				bright++
			}
		}
	}
	if share := float64(bright) / (640 * 480); share > 0.05 || share == 0 {
		t.Errorf("a share of %.3f is bright", share)
	}
}

// The longest moves are drawn, no two between the same places, and none that is too short to see.
func TestMoves(t *testing.T) {
	m := Map{X: []float64{0, 100}, Y: []float64{0, 100}}
	for k := range 30 {
		m.Moves = append(m.Moves, Move{10, 10, 31 + 0.01*float64(k), 11})
	}
	m.Moves = append(m.Moves, Move{60, 60, 60, 90}, Move{80, 20, 80.01, 20}, Move{math.NaN(), 0, 1, 1})
	p := prepared(t, m, Settings{})
	got := p.longest()
	if len(got) != 2 || got[0] != m.Moves[30] || got[1] != m.Moves[29] {
		t.Errorf("moves drawn: %v", got)
	}
}

// Characters that no font has are boxes, and counted; a character of a font in a folder is written
// with it.
func TestMissingCharacters(t *testing.T) {
	folder := t.TempDir()
	m := Map{Title: "地図 🗺", X: []float64{0, 1, 2}, Y: []float64{0, 1, 0}, Class: []string{"東京", "Köln\u200d", "a\tb"}, By: "city"}
	var svg, png bytes.Buffer
	drawn, err := SVG(&svg, m, Settings{Fonts: []string{folder}})
	if err != nil || drawn.Boxes != 5 || !strings.Contains(drawn.Notes(), "5 characters that no font here has, drawn as boxes") {
		t.Errorf("%d characters are boxes, %v: %s", drawn.Boxes, err, drawn.Notes())
	}
	if strings.Contains(svg.String(), "東") || !strings.Contains(svg.String(), ">Köln<") || !strings.Contains(svg.String(), ">a b<") {
		t.Error("a character without a font is written, or one with a font is not")
	}
	if _, err := PNG(&png, m, Settings{Fonts: []string{folder}}); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "Some-Sans.ttf"), liberationsansregular.TTF, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "Broken.ttf"), []byte("no font"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := &fallback{folders: []string{folder, filepath.Join(folder, "nowhere")}}
	if f.find('A', false) == nil || f.find('A', true) == nil || f.find('東', false) != nil || f.missing() != 1 {
		t.Errorf("of A and 東 %d are missing", f.missing())
	}
}

// Boxes have a width, so that no text overlaps them.
func TestBoxesHaveAWidth(t *testing.T) {
	l := look{light, &fallback{folders: []string{t.TempDir()}}}
	s := l.style(10, l.ink, false)
	if one, three := s.Width("東"), s.Width("東京都"); math.Abs(float64(three-3*one)) > 1e-9 || one < vg.Length(5) {
		t.Errorf("a box is %v wide, three %v", one, three)
	}
}
