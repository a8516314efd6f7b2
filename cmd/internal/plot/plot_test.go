package plot

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/internal/quantile"
)

// blobs are n points in clusters of different sizes, one class a cluster.
func blobs(n, classes int, seed uint64) (x, y []float64, class []string) {
	r := rand.New(rand.NewPCG(seed, 7))
	for i := range n {
		k := int(float64(classes) * math.Pow(r.Float64(), 1.5))
		angle := 2 * math.Pi * float64(k) / float64(classes)
		spread := 0.3 + 0.15*float64(k%4)
		x = append(x, 6*math.Cos(angle)+spread*r.NormFloat64()*2)
		y = append(y, 4*math.Sin(angle)+spread*r.NormFloat64())
		class = append(class, fmt.Sprintf("class %c", 'a'+k))
		if i%500 == 0 {
			x[i], y[i] = 7*r.NormFloat64(), 7*r.NormFloat64()
		}
	}
	return x, y, class
}

// TestPictures draws pictures of all kinds; set UNFOLD_PICTURES=DIR to keep the files.
func TestPictures(t *testing.T) {
	x, y, class := blobs(4000, 6, 1)
	xm, ym, many := blobs(30000, 23, 2)
	value := make([]float64, len(x))
	for i := range value {
		value[i] = math.Min(1, math.Hypot(x[i]-2, y[i])/8)
	}
	far := append([]float64{900, -700}, x[2:]...)
	for name, m := range map[string]Map{
		"classes": {Title: "Six classes", Subtitle: "4,000 points", X: x, Y: y, By: "label", Class: class},
		"many":    {Title: "Many classes", Subtitle: "30,000 points", X: xm, Y: ym, By: "label", Class: many},
		"value":   {Title: "A value", X: x, Y: y, By: "novelty_global", Value: value},
		"plain":   {Title: "No colour", X: x[:60], Y: y[:60]},
		"far":     {Title: "Far points", X: far, Y: y, By: "label", Class: class},
	} {
		for format, write := range map[string]func(io.Writer, Map, Settings) (Drawn, error){"png": PNG, "svg": SVG, "pdf": PDF} {
			var first, second bytes.Buffer
			said, err := write(&first, m, Settings{})
			_, again := write(&second, m, Settings{})
			if err := errors.Join(err, again); err != nil {
				t.Fatalf("%s.%s: %v", name, format, err)
			}
			if n := said.Inside + said.Outside + said.Lost; n != len(m.X) {
				t.Errorf("%s.%s accounts for %d of %d points: %+v", name, format, n, len(m.X), said)
			}
			if !bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("%s.%s: the same map gives other bytes", name, format)
			}
			if dir := os.Getenv("UNFOLD_PICTURES"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, name+"."+format), first.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestPNGHasTheSizeAskedFor(t *testing.T) {
	img := drawPNG(t, Map{X: []float64{0, 1}, Y: []float64{0, 1}}, Settings{Width: 640, Height: 480})
	if got := img.Bounds().Size(); got != image.Pt(640, 480) {
		t.Errorf("size %v, expected 640x480", got)
	}
}

// A square of points is drawn as a square, for any shape of the picture.
func TestAxesAreEqual(t *testing.T) {
	x, y := []float64{0, 10, 10, 0}, []float64{0, 0, 10, 10}
	for _, s := range []Settings{{Width: 1600, Height: 600}, {Width: 600, Height: 1600}} {
		s, err := s.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		f := newViewport(x, y, panel(s, paint{}))
		a, _ := f.at(0, 0)
		b, _ := f.at(10, 10)
		if w, h := float64(b.X-a.X), float64(b.Y-a.Y); math.Abs(w-h) > 1e-9 {
			t.Errorf("%dx%d: a square is drawn %.3f wide and %.3f high", s.Width, s.Height, w, h)
		}
		for i := range x {
			if _, inside := f.at(x[i], y[i]); !inside {
				t.Errorf("point %d lies outside the viewport", i)
			}
		}
	}
}

// The legend's column contains only text. No dot overlaps it.
func TestLegendIsNotOverPoints(t *testing.T) {
	x, y, class := blobs(3000, 5, 3)
	s, err := Settings{}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p, err := prepare(Map{X: x, Y: y, Class: class, By: "label"}, s)
	if err != nil {
		t.Fatal(err)
	}
	right := points(s.Width) - edge
	if legend := p.viewport.panel.Max.X + legendGap; legend+legendWidth(p.paint) > right+0.01 {
		t.Errorf("the legend ends at %v, the picture at %v", legend+legendWidth(p.paint), right)
	}
	for _, d := range p.dots {
		if d.at.X+d.r > p.viewport.panel.Max.X+legendGap {
			t.Fatalf("a dot at %v with radius %v reaches the legend", d.at, d.r)
		}
	}
}

func TestFarPointsDoNotShrinkTheRest(t *testing.T) {
	x, y, class := blobs(2000, 4, 4)
	x[0], y[1] = 1e6, -1e6
	p, err := prepare(Map{X: x, Y: y, Class: class}, Settings{Width: 800, Height: 600, Classes: 10})
	if err != nil {
		t.Fatal(err)
	}
	if p.drawn.Outside < 2 || p.drawn.Outside > 20 {
		t.Errorf("%d points beyond the viewport, expected a few", p.drawn.Outside)
	}
	if p.viewport.x1-p.viewport.x0 > 100 {
		t.Errorf("the viewport is %v wide: two far points shrank 1998 to a dot", p.viewport.x1-p.viewport.x0)
	}
}

func TestDenseRegionsGetFinerGrain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var x, y []float64
	for range 3000 {
		x, y = append(x, 0.05*r.NormFloat64()), append(y, 0.05*r.NormFloat64())
	}
	for range 300 {
		x, y = append(x, 3*r.NormFloat64()), append(y, 3*r.NormFloat64())
	}
	p, err := prepare(Map{X: x, Y: y}, Settings{Width: 1600, Height: 1200, Classes: 10})
	if err != nil {
		t.Fatal(err)
	}
	var dense, sparse []float64
	centre, _ := p.viewport.at(0, 0)
	for _, d := range p.dots {
		if away := math.Hypot(float64(d.at.X-centre.X), float64(d.at.Y-centre.Y)); away < 5 {
			dense = append(dense, float64(d.r))
		} else if away > 120 {
			sparse = append(sparse, float64(d.r))
		}
	}
	if quantile.Median(dense) >= quantile.Median(sparse) {
		t.Errorf("median radius %v where it is dense, %v where it is not", quantile.Median(dense), quantile.Median(sparse))
	}
}

func TestRareClassesShareAGrey(t *testing.T) {
	var class []string
	for k := range 14 {
		for range 20 - k {
			class = append(class, fmt.Sprintf("c%02d", k))
		}
	}
	class = append(class, "", "")
	classes, of := chooseClasses(class, 10)
	if len(classes) != 12 {
		t.Fatalf("%d entries, expected 10 classes, the others and the unnamed", len(classes))
	}
	if c := classes[10]; c.name != "4 others" || !c.other || c.n != 10+9+8+7 {
		t.Errorf("others: %+v", c)
	}
	if c := classes[11]; c.name != noClass || c.n != 2 {
		t.Errorf("unnamed: %+v", c)
	}
	if of["c13"] != 10 || of["c00"] != 0 {
		t.Errorf("index %v", of)
	}
}

func TestNumbersAreListedByValue(t *testing.T) {
	classes, _ := chooseClasses(strings.Fields("10 9 9 2 2 2"), 10)
	if got := classes[0].name + classes[1].name + classes[2].name; got != "2910" {
		t.Errorf("order %s, expected 2, 9, 10", got)
	}
}

func TestBadInput(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		m    Map
		s    Settings
		want string
	}{
		"lengths":  {Map{X: []float64{1}, Y: nil}, Settings{}, "1 x and 0 y"},
		"classes":  {Map{X: []float64{1}, Y: []float64{1}, Class: []string{"a", "b"}}, Settings{}, "2 classes"},
		"both":     {Map{X: []float64{1}, Y: []float64{1}, Class: []string{"a"}, Value: []float64{1}}, Settings{}, "give one"},
		"nothing":  {Map{X: []float64{nan}, Y: []float64{1}}, Settings{}, "nothing to draw"},
		"empty":    {Map{}, Settings{}, "nothing to draw"},
		"tiny":     {Map{X: []float64{1}, Y: []float64{1}}, Settings{Width: 3}, "3 pixels"},
		"too many": {Map{X: []float64{1}, Y: []float64{1}}, Settings{Classes: 999}, "999 classes"},
	} {
		if _, err := PNG(io.Discard, c.m, c.s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected one with %q", name, err, c.want)
		}
	}
}

func TestDegenerateMapsAreDrawn(t *testing.T) {
	nan := math.NaN()
	for name, m := range map[string]Map{
		"one point":     {X: []float64{3}, Y: []float64{4}},
		"one place":     {X: make([]float64, 500), Y: make([]float64, 500)},
		"a line":        {X: []float64{1, 2, 3}, Y: []float64{5, 5, 5}},
		"lost points":   {X: []float64{1, nan, 3}, Y: []float64{1, 2, math.Inf(1)}},
		"equal values":  {X: []float64{1, 2}, Y: []float64{1, 2}, Value: []float64{7, 7}},
		"no values":     {X: []float64{1, 2}, Y: []float64{1, 2}, Value: []float64{nan, nan}},
		"unnamed class": {X: []float64{1, 2}, Y: []float64{1, 2}, Class: []string{"", ""}},
		"long name":     {X: []float64{1, 2}, Y: []float64{1, 2}, By: strings.Repeat("long ", 20), Class: []string{strings.Repeat("x", 200), "<&>"}},
	} {
		drawPNG(t, m, Settings{Width: 320, Height: 320})
		var svg bytes.Buffer
		if _, err := SVG(&svg, m, Settings{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for d := xml.NewDecoder(&svg); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: not well-formed: %v", name, err)
				break
			}
		}
	}
}

// With many points an SVG has a single image of them, in its declared format.
func TestManyPointsAreAnImage(t *testing.T) {
	n := vectorLimit + 1
	m := Map{X: make([]float64, n), Y: make([]float64, n)}
	for i := range n {
		m.X[i], m.Y[i] = float64(i%200), float64(i/200)
	}
	var svg bytes.Buffer
	if _, err := SVG(&svg, m, Settings{Width: 640, Height: 480}); err != nil {
		t.Fatal(err)
	}
	_, data, ok := strings.Cut(svg.String(), "data:image/png;base64,")
	if !ok {
		t.Fatal("there is no PNG in the SVG")
	}
	data, _, _ = strings.Cut(data, `"`)
	img, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		t.Fatal(err)
	}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if _, _, _, a := img.At(x, y).RGBA(); a > 0 {
				return
			}
		}
	}
	t.Error("the image is empty")
}

func TestPointsHaveTheirClassesColour(t *testing.T) {
	img := drawPNG(t, Map{X: []float64{0, 1}, Y: []float64{0, 1}, Class: []string{"0", "1"}}, Settings{NoNames: true})
	found := map[color.NRGBA]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			found[color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)] = true
		}
	}
	for _, c := range okabeIto[:2] {
		if !found[c] {
			t.Errorf("colour %v does not appear", c)
		}
	}
	if found[okabeIto[2]] {
		t.Error("a third class's colour appears")
	}
}

func TestTicksFitBesideThePanel(t *testing.T) {
	for _, c := range []struct {
		v, step float64
		want    string
	}{
		{0, 1e7, "0"}, {-10000, 5000, "-10,000"}, {1500, 500, "1500"}, {-0.25, 0.05, "-0.25"}, {3 * 0.1, 0.1, "0.3"},
		{-2e6, 1e6, "-2e+06"}, {1.2e6, 2e5, "1.2e+06"}, {3 * 1e-7, 1e-7, "3e-07"}, {-15e-6, 5e-6, "-1.5e-05"},
	} {
		if got := tick(c.v, c.step); got != c.want {
			t.Errorf("%v with steps of %v: %q, expected %q", c.v, c.step, got, c.want)
		}
	}
}

func drawPNG(t *testing.T, m Map, s Settings) image.Image {
	t.Helper()
	var buf bytes.Buffer
	if _, err := PNG(&buf, m, s); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return img
}
