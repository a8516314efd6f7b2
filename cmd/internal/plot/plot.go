package plot

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"unfold/cmd/internal/humanize"
)

// Map is the data of a picture: points, and the values that colour them.
type Map struct {
	// Title and Subtitle are written above the picture. Either may be empty.
	Title, Subtitle string
	// X and Y are the points' coordinates. Points whose coordinates are not finite are omitted and
	// counted in the picture's foot.
	X, Y []float64
	// By is the meaning of the colours, the legend's heading.
	By string
	// Class colours by kind, Value by amount, with one entry per point; at most one may be set. With
	// neither, all points have one colour. Points of class "" and of value NaN are grey; Unknown is
	// the legend's name for the former, by default "(none)".
	Class   []string
	Unknown string
	// Thing has, for classes whose names describe something that has an id, that id: a class's
	// colour follows it instead of the name.
	Thing map[string]string
	Value []float64
	// Scale converts values to colours. From and To are its ends; if equal (as both zero) they are
	// the 1st and 99th percentile of Value, or for times the first and the last.
	Scale    Scale
	From, To float64
	// Name, one a point, are groups to name on the map instead of the classes; "" for none.
	Name []string
	// Size, one a point, makes the dots' areas proportional to it. SizeBy names it.
	Size   []float64
	SizeBy string
	// Facet has a value for each point. Each value gets a panel.
	Facet []string
	// Bright, one a point, marks points to highlight; all others are grey, behind them.
	Bright []bool
	// Spread has ellipses, which are drawn below the points. One for each point has the point's colour.
	Spread []Ellipse
	// Moves are the points' movements from another map; the longest are drawn as arrows.
	Moves []Move
}

// Settings configure the drawing. The zero value is usable.
type Settings struct {
	// Width and Height in pixels; default 1600 x 1200. An SVG and a PDF have half as many
	// points.
	Width, Height int
	// Classes is the number of classes with their own colour, at most MaxClasses and by default
	// 100; the rarer ones share a grey.
	Classes int
	// NoNames omits the names on the map; the legend stays.
	NoNames bool
	// Palette is one of Palettes, or colours as #rrggbb separated by commas. By default classes
	// have colours by their names, as on the page; values have viridis.
	Palette string
	// Dark draws on a dark ground.
	Dark bool
	// Shade is the kind of shading below the dots.
	Shade Shade
	// Seed shuffles the order in which dots are drawn; default 1.
	Seed uint64
	// Fonts are folders with fonts for characters that the program's own font lacks; nil means the
	// system's.
	Fonts []string
}

// MaxClasses bounds Settings.Classes.
const MaxClasses = 250

const (
	dpi     = 144 // pixels per inch of a PNG: 2 pixels a point
	perDot  = dpi / 72.0
	minSide = 320
	maxSide = 20000
)

func (s Settings) withDefaults() (Settings, error) {
	s.Width, s.Height = cmp.Or(s.Width, 1600), cmp.Or(s.Height, 1200)
	s.Classes = cmp.Or(s.Classes, 100)
	s.Seed = cmp.Or(s.Seed, 1)
	for _, side := range []int{s.Width, s.Height} {
		if side < minSide || side > maxSide {
			return s, fmt.Errorf("plot: a side of %d pixels; it must be between %d and %d", side, minSide, maxSide)
		}
	}
	if s.Classes < 1 || s.Classes > MaxClasses {
		return s, fmt.Errorf("plot: %d classes; it must be between 1 and %d", s.Classes, MaxClasses)
	}
	if !slices.Contains([]Shade{Glow, Density, Plain}, s.Shade) {
		return s, fmt.Errorf("plot: there is no shade %q", s.Shade)
	}
	_, err := paletteOf(s.Palette)
	return s, err
}

// Drawn counts the points at their position (Inside), at the edge (Outside), and omitted because
// their coordinates are not finite (Lost). Unnamed counts names without a position on the map,
// Boxes the characters that no font has.
type Drawn struct{ Inside, Outside, Lost, Unnamed, Boxes int }

// Notes describes everything that is not shown at its position, "" if all points are.
func (d Drawn) Notes() string {
	var notes []string
	if d.Outside > 0 {
		notes = append(notes, fmt.Sprintf("%s beyond the frame, drawn hollow at its edge", humanize.Plural(d.Outside, "point")))
	}
	if d.Lost > 0 {
		notes = append(notes, fmt.Sprintf("%s without finite coordinates left out", humanize.Plural(d.Lost, "point")))
	}
	if d.Unnamed > 0 {
		notes = append(notes, fmt.Sprintf("%s without room on the map", humanize.Plural(d.Unnamed, "name")))
	}
	if d.Boxes > 0 {
		notes = append(notes, fmt.Sprintf("%s that no font here has, drawn as boxes", humanize.Plural(d.Boxes, "character")))
	}
	return strings.Join(notes, "; ")
}

// PNG draws m and writes it to w as PNG.
func PNG(w io.Writer, m Map, s Settings) (Drawn, error) { return write(w, m, s, newPNG) }

// SVG draws m and writes it to w as SVG.
func SVG(w io.Writer, m Map, s Settings) (Drawn, error) { return write(w, m, s, newSVG) }

// PDF draws m and writes it to w as a PDF of one page.
func PDF(w io.Writer, m Map, s Settings) (Drawn, error) { return write(w, m, s, newPDF) }

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

// picture is a map with all positions and colours computed.
type picture struct {
	m        Map
	s        Settings
	viewport viewport
	paint    paint
	dots     []dot
	unit     float64 // radius of the median size
	drawn    Drawn
	// facets are the panels of a picture with several. A bare panel has a caption but no numbers at
	// its axes.
	facets  []*picture
	bare    bool
	caption string
}

func prepare(m Map, s Settings) (*picture, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	p := &picture{m: m, s: s}
	x, y := finite(m.X, m.Y)
	if len(x) == 0 {
		return nil, fmt.Errorf("plot: none of %d points has finite coordinates: nothing to draw", len(m.X))
	}
	var err error
	if p.paint, err = newPaint(m, s); err != nil {
		return nil, err
	}
	p.viewport = newViewport(x, y, panel(s, p.paint))
	p.paint.place(p.spots())
	if m.Facet != nil {
		p.split(x, y)
	}
	p.dots, p.unit = styleDots(m, p.viewport, p.paint, s.Seed)
	for _, d := range p.dots {
		if d.hollow {
			p.drawn.Outside++
		} else {
			p.drawn.Inside++
		}
	}
	p.drawn.Lost = len(m.X) - len(p.dots)
	return p, nil
}

// check returns an error if fields of the map are inconsistent.
func (m Map) check() error {
	n := len(m.X)
	switch {
	case len(m.Y) != n:
		return fmt.Errorf("plot: %d x and %d y coordinates", n, len(m.Y))
	case m.Class != nil && m.Value != nil:
		return fmt.Errorf("plot: both classes and values to colour by; give one")
	case m.Class != nil && len(m.Class) != n, m.Value != nil && len(m.Value) != n:
		return fmt.Errorf("plot: %d points but %d classes or values", n, max(len(m.Class), len(m.Value)))
	}
	for what, have := range map[string]int{"names": len(m.Name), "sizes": len(m.Size), "facets": len(m.Facet), "marks of what is highlighted": len(m.Bright)} {
		if have != 0 && have != n {
			return fmt.Errorf("plot: %d points but %d %s", n, have, what)
		}
	}
	return nil
}

// spots returns the densest spots of the classes.
func (p *picture) spots() []vg.Point {
	at := make([][]vg.Point, len(p.paint.classes))
	for i := range p.m.X {
		if isFinite(p.m.X[i]) && isFinite(p.m.Y[i]) && p.m.Class != nil {
			k := p.paint.kind(p.m, i)
			place, _ := p.viewport.at(p.m.X[i], p.m.Y[i])
			at[k] = append(at[k], place)
		}
	}
	spots := make([]vg.Point, len(at))
	for k := range at {
		spots[k] = peak(at[k], p.viewport.panel)
	}
	return spots
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Check returns an error for invalid settings.
func (s Settings) Check() error {
	_, err := s.withDefaults()
	return err
}
