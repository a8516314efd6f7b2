package plot

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"unfold/internal/quantile"
)

// paint is how points get their colours.
type paint struct {
	by      string
	classes []class // by kind: the legend's entries in its order
	of      map[string]int
	ramped  bool // by amount
	from,
	to float64
	below, above bool // values lie beyond the scale's ends
	// nameLength is the number of characters of a name that the legend has
	// room for: it takes a third of the picture at most.
	nameLength int
}

// class is one entry of the legend.
type class struct {
	name  string
	n     int
	color color.NRGBA
	other bool // shared by the rarer classes, or by points without one
}

const (
	noClass = "(none)"
	oneName = "points"
)

func newPaint(m Map, s Settings) paint {
	p := paint{by: m.By, nameLength: min(max(int(points(s.Width)/3-50)/6, 4), 24)}
	switch {
	case m.Value != nil:
		p.ramped = true
		p.from, p.to = m.From, m.To
		if p.from == p.to {
			p.from, p.to = middle(m.Value)
		}
		for _, v := range m.Value {
			p.below = p.below || v < p.from
			p.above = p.above || v > p.to
		}
	case m.Class != nil:
		p.classes, p.of = chooseClasses(m.Class, s.Classes)
	default:
		p.classes = []class{{name: oneName, n: len(m.X), color: okabeIto[0]}}
	}
	return p
}

// color returns the colour of point i, and its class's place in the legend.
func (p paint) color(m Map, i int) (color.NRGBA, int) {
	switch {
	case p.ramped:
		return ramp((m.Value[i] - p.from) / (p.to - p.from)), 0
	case m.Class != nil:
		k := p.of[m.Class[i]]
		return p.classes[k].color, k
	}
	return p.classes[0].color, 0
}

// chooseClasses gives a colour each to the most frequent classes and one grey
// to all others. Names that are numbers are listed by value, other names by
// frequency; the greys come last.
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
	colors := classColors(len(names))
	for i, name := range names {
		index[name] = len(classes)
		classes = append(classes, class{name: name, n: count[name], color: colors[i]})
	}
	if len(rest) > 0 {
		other := class{name: fmt.Sprintf("%d others", len(rest)), color: otherGrey, other: true}
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
		classes = append(classes, class{name: noClass, n: unnamed, color: hex(0xD8D8D8), other: true})
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

// middle returns the 1st and the 99th percentile of the finite values, wider
// where they are equal.
func middle(v []float64) (from, to float64) {
	sorted := make([]float64, 0, len(v))
	for _, x := range v {
		if isFinite(x) {
			sorted = append(sorted, x)
		}
	}
	if len(sorted) == 0 {
		return 0, 1
	}
	slices.Sort(sorted)
	from, to = quantile.Of(sorted, 0.01), quantile.Of(sorted, 0.99)
	if from == to {
		from, to = sorted[0], sorted[len(sorted)-1]
	}
	if from == to {
		from, to = from-0.5, to+0.5
	}
	return from, to
}
