package plot

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// islands returns classes of different sizes, each around its own centre.
func islands(classes, n int, seed uint64) (x, y []float64, class []string) {
	r := rand.New(rand.NewPCG(seed, 3))
	for k := range classes {
		cx, cy, spread := 20*r.Float64(), 15*r.Float64(), 0.2+0.4*r.Float64()
		for range 5 + r.IntN(2*n/classes) {
			x, y = append(x, cx+spread*r.NormFloat64()), append(y, cy+spread*r.NormFloat64())
			class = append(class, fmt.Sprintf("class %03d", k))
		}
	}
	return x, y, class
}

// prepared computes the positions and colours of a picture.
func prepared(t testing.TB, m Map, s Settings) *picture {
	t.Helper()
	s, err := s.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	p, err := prepare(m, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each of a hundred classes has a name on the map, without overlaps. Larger classes have larger
// names, and a name is at its class's densest spot or has a line to it.
func TestAHundredNames(t *testing.T) {
	x, y, class := islands(100, 20_000, 1)
	p := prepared(t, Map{X: x, Y: y, Class: class}, Settings{})
	labels, all, _ := p.labels()
	if len(labels) != 100 {
		t.Fatalf("%d names", len(labels))
	}
	in := p.viewport.panel
	for i, a := range labels {
		if !a.found || a.box.Min.X < in.Min.X || a.box.Max.X > in.Max.X || a.box.Min.Y < in.Min.Y || a.box.Max.Y > in.Max.Y {
			t.Errorf("%q is at %v, the panel is %v", a.text, a.box, in)
		}
		for _, b := range labels[:i] {
			if overlap(a.box, b.box) {
				t.Errorf("%q lies over %q", a.text, b.text)
			}
		}
		if i > 0 && all[a.class].n > all[labels[i-1].class].n {
			t.Errorf("%q is placed after a smaller class", a.text)
		}
	}
	if first, last := labels[0], labels[99]; first.size < 1.2*last.size {
		t.Errorf("the largest class is written in %.1f points, the smallest in %.1f", first.size, last.size)
	}
	far := 0.0
	for _, l := range labels {
		far = math.Max(far, segment{nearest(l.box, l.spot), l.spot}.length())
	}
	if far > 150 {
		t.Errorf("a name is %.0f points from its spot", far)
	}
	var svg bytes.Buffer
	drawn, err := SVG(&svg, Map{X: x, Y: y, Class: class}, Settings{})
	if err != nil || drawn.Unnamed > 0 {
		t.Errorf("%d names without room, %v", drawn.Unnamed, err)
	}
	for k := range 100 {
		if name := fmt.Sprintf(">class %03d<", k); !strings.Contains(svg.String(), name) {
			t.Errorf("the picture lacks %s", name)
		}
	}
}

// For any labels and spots, the placed labels do not overlap and stay in the panel.
func TestNamesNeverOverlap(t *testing.T) {
	panel := vg.Rectangle{Min: vg.Point{X: 10, Y: 20}, Max: vg.Point{X: 410, Y: 320}}
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		a := &arranger{in: panel, crowd: newCrowd(nil, panel)}
		wide := rapid.Float64Range(2, 60).Draw(rt, "wide")
		a.measure = func(l label) vg.Point { return vg.Point{X: vg.Length(wide * l.size / 10), Y: vg.Length(l.size)} }
		n := rapid.IntRange(1, 60).Draw(rt, "labels")
		crowd := rapid.Float64Range(0, 1).Draw(rt, "crowd")
		for range n {
			at := vg.Point{X: panel.Min.X + vg.Length(200+crowd*200*(2*r.Float64()-1)), Y: panel.Min.Y + vg.Length(150+crowd*150*(2*r.Float64()-1))}
			a.labels = append(a.labels, label{text: "x", size: 6 + 8*r.Float64(), spot: at})
		}
		a.arrange()
		lost := 0
		for i, l := range a.labels {
			if !l.found {
				lost++
				continue
			}
			if l.box.Min.X < panel.Min.X || l.box.Max.X > panel.Max.X || l.box.Min.Y < panel.Min.Y || l.box.Max.Y > panel.Max.Y {
				rt.Fatalf("a label at %v in a panel %v", l.box, panel)
			}
			for _, o := range a.labels[:i] {
				if o.found && overlap(l.box, o.box) {
					rt.Fatalf("%v overlaps %v", l.box, o.box)
				}
			}
		}
		if wide < 30 && n < 30 && lost > 0 {
			rt.Fatalf("%d of %d small labels have no place", lost, n)
		}
	})
}

// Very many names fit, because they are smaller.
func TestVeryManyNames(t *testing.T) {
	x, y, class := islands(MaxClasses, 20_000, 2)
	for i := range class {
		class[i] = "topic number" + strings.TrimPrefix(class[i], "class")
	}
	labels, _, _ := prepared(t, Map{X: x, Y: y, Class: class}, Settings{Classes: MaxClasses}).labels()
	lost := 0
	for _, l := range labels {
		if !l.found {
			lost++
		}
	}
	if len(labels) != MaxClasses || lost > 0 {
		t.Errorf("%d of %d names have no room", lost, len(labels))
	}
}

// The name of a single point does not hide it.
func TestNamesOfPointsStandBeside(t *testing.T) {
	m := Map{X: []float64{0, 1, 2, 3}, Y: []float64{0, 2, 1, 3}, Name: []string{"a name", "", "another", ""}}
	labels, _, _ := prepared(t, m, Settings{Width: 400, Height: 400}).labels()
	if len(labels) != 2 {
		t.Fatalf("%d names", len(labels))
	}
	for _, l := range labels {
		if !l.found || contains(grown(l.box, loneRoom), l.spot) {
			t.Errorf("%q at %v hides its point at %v", l.text, l.box, l.spot)
		}
	}
}

// A name is placed where its class is densest, not at its mean.
func TestNamesStandWhereAClassIsDense(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	x, y := cloud(nil, nil, r, 900, -5, 0, 0.3)
	x, y = cloud(x, y, r, 600, 5, 0, 1.5)
	class := make([]string, len(x))
	for i := range class {
		class[i] = "both"
	}
	p := prepared(t, Map{X: x, Y: y, Class: class}, Settings{})
	labels, _, _ := p.labels()
	want, _ := p.viewport.at(-5, 0)
	if d := (segment{labels[0].spot, want}).length(); d > 12 {
		t.Errorf("the name is for %v, %.0f points from the densest spot %v", labels[0].spot, d, want)
	}
}

func TestLongNamesAreWrapped(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"one", "one"},
		{"12: service=http, bytes high, seconds low", "12: service=http,\nbytes high,\nseconds low"},
		{"a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9", "a b c d e f g h i\nj k l m n o p q r\ns t u v w x y z 0 1 2 3 4 5 6 7 8 9"},
		{" ", " "},
	} {
		if got := wrapped(c.text, namedLine); got != c.want {
			t.Errorf("%q is wrapped as %q, expected %q", c.text, got, c.want)
		}
	}
}

func TestCrossings(t *testing.T) {
	at := func(x, y vg.Length) vg.Point { return vg.Point{X: x, Y: y} }
	s := segment{at(0, 0), at(10, 10)}
	for name, c := range map[string]struct {
		o    segment
		want bool
	}{
		"across": {segment{at(0, 10), at(10, 0)}, true},
		"beside": {segment{at(0, 1), at(10, 11)}, false},
		"short":  {segment{at(0, 10), at(4, 6)}, false},
		"none":   {segment{at(5, 5), at(5, 5)}, false},
	} {
		if s.crosses(c.o) != c.want {
			t.Errorf("%s: crosses %v", name, !c.want)
		}
	}
	box := vg.Rectangle{Min: at(4, 4), Max: at(6, 6)}
	if !s.enters(box) || (segment{at(0, 5), at(3, 5)}).enters(box) {
		t.Error("a segment through a box does not enter it, or one before it does")
	}
}
