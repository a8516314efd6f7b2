package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// paint assigns colours to points.
type paint struct {
	look
	palette      palette
	by, sizeBy   string  // meanings of colours and sizes, "" if none
	classes      []class // by kind: the legend's entries in its order
	of           map[string]int
	ramped       bool // by amount
	scale        scale
	below, above bool // values lie beyond the scale's ends
	unknown      int  // values without a colour
	// nameLength is the maximum number of characters of a name in the legend, which takes at most a
	// third of the picture.
	nameLength int
}

// class is one entry of the legend.
type class struct {
	name  string
	n     int
	color color.NRGBA
	other bool // shared by the rarer classes, or by points without one
	none  bool // of points without one
	quiet bool // no point of it is highlighted
}

const (
	noClass = "(none)"
	oneName = "points"
)

func newPaint(m Map, s Settings) (paint, error) {
	chosen, err := paletteOf(s.Palette)
	if err != nil {
		return paint{}, err
	}
	p := paint{look: newLook(s), palette: chosen, by: m.By, sizeBy: m.SizeBy, nameLength: min(max(int(points(s.Width)/3-50)/6, 4), 24)}
	switch {
	case m.Value != nil:
		p.ramped = true
		p.scale = newScale(m.Scale, m.Value, m.From, m.To)
		for _, v := range m.Value {
			at := p.scale.at(v)
			p.below, p.above = p.below || at < 0, p.above || at > 1
			if !p.scale.known(v) {
				p.unknown++
			}
		}
	case m.Class != nil:
		p.classes, p.of = chooseClasses(m.Class, s.Classes)
		p.colorClasses(cmp.Or(m.Unknown, noClass), m.Thing)
		p.hush(m)
	default:
		one := okabeIto[0]
		if p.dark {
			one = okabeItoDark[0]
		}
		if chosen.colors != nil {
			one = chosen.colors[0]
		}
		p.classes = []class{{name: oneName, n: len(m.X), color: one}}
	}
	return p, nil
}

// colorClasses assigns colours to classes, if they do not depend on positions. thing has the ids of
// classes whose colours follow these.
func (p *paint) colorClasses(unknown string, thing map[string]string) {
	names := p.named()
	colors, rank := p.palette.classes(len(names), p.theme), map[string]int{}
	if p.palette.automatic() {
		things := make([]string, len(names))
		for i, name := range names {
			things[i] = cmp.Or(thing[name], name)
		}
		shades, last := shadesOf(things), 0
		for i, name := range names {
			rank[name] = shades[things[i]]
			last = max(last, rank[name])
		}
		colors = farColors(1+last, p.theme)
	} else {
		for i, name := range names {
			rank[name] = i
		}
	}
	for i := range p.classes {
		switch k := &p.classes[i]; {
		case k.none:
			k.name, k.color = unknown, p.theme.unknown
		case k.other:
			k.color = p.theme.other
		case colors != nil:
			k.color = colors[rank[k.name]]
		}
	}
}

// named returns the names of the classes that get colours, sorted. A class that shares a grey counts,
// too: it has a colour on the page, which others must not have here. Of more classes than there are
// colours, only those with a colour of their own count.
func (p *paint) named() []string {
	names := make([]string, 0, len(p.of))
	for name, i := range p.of {
		if name != "" && (len(p.of) <= MaxClasses || !p.classes[i].other) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, byName)
	return names
}

// byName compares names, the numbers in them by value: "2" comes before "10".
func byName(a, b string) int {
	for x, y := a, b; x != "" && y != ""; {
		m, n := digits(x), digits(y)
		if m == 0 || n == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
		if c := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); c != 0 {
			return c
		}
		x, y = x[m:], y[n:]
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// digits returns the number of digits that a text begins with.
func digits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

// hush finds the classes that are grey in the legend because others are highlighted.
func (p *paint) hush(m Map) {
	for k := range p.classes {
		p.classes[k].quiet = m.Bright != nil
	}
	for i, bright := range m.Bright {
		if bright {
			p.classes[p.kind(m, i)].quiet = false
		}
	}
}

// place assigns dissimilar colours to classes that are close on the map, if the palette asks for
// that. spots are the classes' positions.
func (p *paint) place(spots []vg.Point) {
	var at []vg.Point
	var of []int
	for i, k := range p.classes {
		if !k.other {
			at, of = append(at, spots[i]), append(of, i)
		}
	}
	if p.ramped || p.of == nil || p.palette.name != byPosition {
		return
	}
	colors := farColors(len(at), p.theme)
	for i, c := range deal(at, colors) {
		p.classes[of[i]].color = colors[c]
	}
}

// kind returns the index of point i's class in the legend.
func (p paint) kind(m Map, i int) int {
	if m.Class == nil {
		return 0
	}
	return p.of[m.Class[i]]
}

// color returns the colour of point i, and the index of its class in the legend.
func (p paint) color(m Map, i int) (color.NRGBA, int) {
	if p.ramped {
		return p.palette.ramp(p.scale.at(m.Value[i]), p.theme), 0
	}
	k := p.kind(m, i)
	return p.classes[k].color, k
}

// chooseClasses returns the most frequent classes, which get a colour each, and one entry for all
// others. Numeric names are sorted by value, other names by frequency. Classes that share a grey
// come last, followed by points without a class.
func chooseClasses(of []string, most int) ([]class, map[string]int) {
	count := map[string]int{}
	for _, c := range of {
		count[c]++
	}
	unnamed := count[""]
	delete(count, "")
	names := make([]string, 0, len(count))
	for name := range count {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	var rest []string
	if len(names) > most {
		names, rest = names[:most], names[most:]
	}
	sortNumbers(names)
	index := map[string]int{}
	var classes []class
	for _, name := range names {
		index[name] = len(classes)
		classes = append(classes, class{name: name, n: count[name]})
	}
	if len(rest) > 0 {
		other := class{name: fmt.Sprintf("%d others", len(rest)), other: true}
		if len(rest) == 1 {
			other.name = rest[0]
		}
		for _, name := range rest {
			index[name] = len(classes)
			other.n += count[name]
		}
		classes = append(classes, other)
	}
	if unnamed > 0 {
		index[""] = len(classes)
		classes = append(classes, class{name: noClass, n: unnamed, other: true, none: true})
	}
	return classes, index
}

// sortNumbers sorts names by value if all of them are numbers.
func sortNumbers(names []string) {
	values := map[string]float64{}
	for _, name := range names {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || math.IsNaN(v) {
			return
		}
		values[name] = v
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(values[a], values[b]) })
}
