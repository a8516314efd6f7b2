package plot

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"unfold/cmd/internal/humanize"
)

// Map is what to draw: points, and what colours them.
type Map struct {
	// Title and Subtitle stand above the picture; either may be empty.
	Title, Subtitle string
	// X and Y are the points' coordinates. Points whose coordinates are not
	// finite are left out and counted in the picture's foot.
	X, Y []float64
	// By names what the colour means: the legend's heading.
	By string
	// Class colours by kind, Value by amount; at most one is given, with one
	// entry a point. With neither, all points have one colour.
	Class []string
	Value []float64
	// From and To are the ends of the colour scale; equal (as both zero) means
	// the 1st and 99th percentile of Value.
	From, To float64
	// Spread are drawn as outlines below the points.
	Spread []Ellipse
}

// Settings say how to draw. The zero value is usable.
type Settings struct {
	// Width and Height in pixels; default 1600 x 1200. An SVG has half as many
	// points.
	Width, Height int
	// Classes is how many classes get a colour of their own, at most and by
	// default 10; the rarer ones share a grey.
	Classes int
	// NoNames leaves out the classes' names on the map; the legend stays.
	NoNames bool
}

const (
	dpi     = 144 // pixels per inch of a PNG: 2 pixels a point
	perDot  = dpi / 72.0
	minSide = 320
	maxSide = 20000
)

func (s Settings) withDefaults() (Settings, error) {
	s.Width, s.Height = cmp.Or(s.Width, 1600), cmp.Or(s.Height, 1200)
	s.Classes = cmp.Or(s.Classes, maxClasses)
	for _, side := range []int{s.Width, s.Height} {
		if side < minSide || side > maxSide {
			return s, fmt.Errorf("plot: a side of %d pixels; it must be between %d and %d", side, minSide, maxSide)
		}
	}
	if s.Classes < 1 || s.Classes > maxClasses {
		return s, fmt.Errorf("plot: %d classes; colours that anyone can tell apart are 1 to %d", s.Classes, maxClasses)
	}
	return s, nil
}

// Drawn says how many points a picture shows where they are, how many at its edge since
// they are beyond its frame, and how many it leaves out since their coordinates are not
// finite.
type Drawn struct{ Inside, Outside, Lost int }

// Notes says what is not shown as it is, "" if all points are.
func (d Drawn) Notes() string {
	var notes []string
	if d.Outside > 0 {
		notes = append(notes, fmt.Sprintf("%s beyond the frame, drawn hollow at its edge", humanize.Plural(d.Outside, "point")))
	}
	if d.Lost > 0 {
		notes = append(notes, fmt.Sprintf("%s without finite coordinates left out", humanize.Plural(d.Lost, "point")))
	}
	return strings.Join(notes, "; ")
}

// PNG draws m and writes it to w as PNG.
func PNG(w io.Writer, m Map, s Settings) (Drawn, error) { return write(w, m, s, newPNG) }

// SVG draws m and writes it to w as SVG.
func SVG(w io.Writer, m Map, s Settings) (Drawn, error) { return write(w, m, s, newSVG) }

func write(w io.Writer, m Map, s Settings, open func(Settings) surface) (Drawn, error) {
	s, err := s.withDefaults()
	if err != nil {
		return Drawn{}, err
	}
	p, err := prepare(m, s)
	if err != nil {
		return Drawn{}, err
	}
	out := open(s)
	p.draw(out)
	return p.drawn, out.writeTo(w)
}

// picture is a map with everything decided: what stands where in which colour.
type picture struct {
	m     Map
	s     Settings
	frame frame
	paint paint
	dots  []dot
	drawn Drawn
}

func prepare(m Map, s Settings) (*picture, error) {
	n := len(m.X)
	switch {
	case len(m.Y) != n:
		return nil, fmt.Errorf("plot: %d x and %d y coordinates", n, len(m.Y))
	case m.Class != nil && m.Value != nil:
		return nil, fmt.Errorf("plot: both classes and values to colour by; give one")
	case m.Class != nil && len(m.Class) != n, m.Value != nil && len(m.Value) != n:
		return nil, fmt.Errorf("plot: %d points but %d classes or values", n, max(len(m.Class), len(m.Value)))
	}
	p := &picture{m: m, s: s}
	x, y := finite(m.X, m.Y)
	if len(x) == 0 {
		return nil, fmt.Errorf("plot: none of %d points has finite coordinates: nothing to draw", n)
	}
	p.paint = newPaint(m, s)
	p.frame = newFrame(x, y, panel(s, p.paint))
	p.dots = styleDots(m, p.frame, p.paint)
	for _, d := range p.dots {
		if d.hollow {
			p.drawn.Outside++
		} else {
			p.drawn.Inside++
		}
	}
	p.drawn.Lost = n - len(p.dots)
	return p, nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Check says what is wrong with the settings, or nil.
func (s Settings) Check() error {
	_, err := s.withDefaults()
	return err
}
