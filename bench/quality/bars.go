package main

import (
	"fmt"
	"math"
	"slices"
)

// bar is a figure with what it must reach.
type bar struct {
	what  string
	value float64
	unit  string
	least float64 // the bound
	above bool    // it is a lower bound
	// strict bounds may not be met by equality.
	strict bool
	// format prints value and bound.
	format string
}

func (b bar) met() bool {
	switch {
	case b.value == b.least:
		return !b.strict
	case b.above:
		return b.value > b.least
	}
	return b.value < b.least
}

func (b bar) bound() string {
	sign := "<"
	if b.above {
		sign = ">"
	}
	if !b.strict {
		sign += "="
	}
	return sign + " " + fmt.Sprintf(b.format, b.least) + b.unit
}

func (b bar) measured() string { return fmt.Sprintf(b.format, b.value) + b.unit }

// get returns a figure of a measurement.
func (b *bench) get(name, key string) (float64, bool) {
	r := b.results[name]
	if r == nil {
		return 0, false
	}
	v, ok := r.Figures[key]
	return v, ok
}

// bars are those that have been measured, in the order of the page.
func (b *bench) bars(sets []*prepared) []bar {
	var out []bar
	add := func(name, key string, x bar) {
		if v, ok := b.get(name, key); ok {
			if x.unit == "%" {
				v *= 100
			}
			x.value = v
			out = append(out, x)
		}
	}
	const plain = "%.4f"
	own := "mnist/" + byDefault
	add(own, nn1, bar{what: "MNIST, 1-NN", least: .972, above: true, format: plain})
	add(own, nn9, bar{what: "MNIST, 9-NN", least: .977, above: true, format: plain})
	add(own, trust, bar{what: "MNIST, trustworthiness", least: .994, above: true, format: plain})
	for _, f := range sets[0].quality()[:barred] {
		if theirs, ok := b.get("mnist/"+openTSNE, f.key); ok {
			add("mnist/"+thorough, f.key, bar{what: "MNIST, `--thorough`, " + f.title + ", above openTSNE's", least: theirs, above: true, strict: true, format: plain})
		}
	}
	out = append(out, b.others(sets)...)
	add(splitName(2, methods()[0]), nn9, bar{what: "placed test digits, d = 2, 9-NN error", unit: "%", least: 2.8, format: "%.2f"})
	add(jointName(10, methods()[0]), nn9, bar{what: "test digits on the joint map, d = 10, 9-NN error", unit: "%", least: 2.2, format: "%.2f"})
	add(splitName(10, methods()[0]), nn9, bar{what: "placed test digits, d = 10, 9-NN error", unit: "%", least: 2.4, format: "%.2f"})
	add(jointName(10, methods()[0]), em, bar{what: "EM of the joint map, d = 10", unit: " s", least: 6, format: "%.1f"})
	for _, f := range sets[0].quality()[:barred] {
		if two, ok := b.get(own, f.key); ok {
			add("dims3/"+byDefault, f.key, bar{what: "d = 3, " + f.title + ", against d = 2 less .001", least: two - .001, above: true, format: plain})
		}
	}
	out = append(out, b.spreads(sets[0])...)
	add(own, em, bar{what: "MNIST, EM", unit: " s", least: 8, format: "%.1f"})
	return out
}

// others are the bars on all data sets but the first: in how many cells the
// default comes first, and by how much UMAP is ahead at most.
func (b *bench) others(sets []*prepared) []bar {
	cells, first := 0, 0
	worst, where := math.Inf(-1), ""
	umapTitle := methods()[slices.IndexFunc(methods(), func(m method) bool { return m.key == umap })].title
	for _, p := range sets[1:] {
		for _, f := range p.quality()[:barred] {
			best := b.firsts(p.name, contest(byDefault), f)
			if best == nil {
				continue
			}
			cells++
			if slices.Contains(best, byDefault) {
				first++
			}
			ours, _ := b.value(p.name, byDefault, f)
			theirs, _ := b.value(p.name, umap, f)
			if theirs-ours > worst {
				worst, where = theirs-ours, p.title+", "+f.title
			}
		}
	}
	if cells == 0 {
		return nil
	}
	return []bar{
		{what: fmt.Sprintf("other sets, first in cells of 1-NN, 9-NN and trustworthiness, of %d", cells),
			value: float64(first), least: float64(cells) / 2, above: true, strict: true, format: "%g"},
		{what: fmt.Sprintf("other sets, the most that %s is ahead (%s)", umapTitle, where), value: worst, least: .005, format: "%.4f"},
	}
}

// spreads are the largest differences between seeds.
func (b *bench) spreads(mnist *prepared) []bar {
	var out []bar
	for _, f := range mnist.quality()[:barred] {
		var v []float64
		for seed := 1; seed <= seedCount; seed++ {
			if x, ok := b.get(seedName(seed), f.key); ok {
				v = append(v, x)
			}
		}
		if len(v) == seedCount {
			out = append(out, bar{what: fmt.Sprintf("MNIST, seeds 1 to %d, spread of %s", seedCount, f.title),
				value: slices.Max(v) - slices.Min(v), least: .001, format: "%.4f"})
		}
	}
	return out
}
