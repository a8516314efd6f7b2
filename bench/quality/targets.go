package main

import (
	"fmt"
	"math"
	"slices"

	"unfold/bench/internal/harness"
)

// target is a figure with what it must reach.
type target struct {
	what  string
	value float64
	unit  string
	least float64 // the bound; NaN if it is a figure that was not measured
	above bool    // it is a lower bound
	// strict bounds may not be met by equality.
	strict bool
	// format prints value and bound.
	format string
	// unknown targets were not measured.
	unknown bool
}

func (b target) limit() harness.Bound {
	return harness.Bound{Value: b.least, Above: b.above, Strict: b.strict, Format: b.format, Unit: b.unit}
}

func (b target) verdict() string {
	if b.unknown {
		return harness.NotMeasured
	}
	return b.limit().Verdict(b.value)
}

// count returns how many targets have each verdict.
func count(targets []target) map[string]int {
	n := map[string]int{}
	for _, x := range targets {
		n[x.verdict()]++
	}
	return n
}

func (b target) measured() string {
	if b.unknown {
		return ""
	}
	return b.limit().Show(b.value)
}

// get returns a figure of a measurement.
func (b *bench) get(name, key string) (float64, bool) {
	r := b.results[name]
	if r == nil {
		return 0, false
	}
	v, ok := r.Figures[key]
	return v, ok
}

// targets are all, in the order of the page.
func (b *bench) targets(sets []*prepared) []target {
	var out []target
	add := func(name, key string, x target) {
		v, ok := b.get(name, key)
		if x.unit == "%" {
			v *= 100
		}
		x.value, x.unknown = v, !ok || math.IsNaN(x.least)
		out = append(out, x)
	}
	// than is a figure that is a bound.
	than := func(name, key string) float64 {
		if v, ok := b.get(name, key); ok {
			return v
		}
		return math.NaN()
	}
	const plain = "%.4f"
	own, first := mnistName+"/"+byDefault, methods()[0]
	figures := dataset{}.quality()[:targeted]
	add(own, nn1, target{what: "MNIST, 1-NN", least: .972, above: true, format: plain})
	add(own, nn9, target{what: "MNIST, 9-NN", least: .977, above: true, format: plain})
	add(own, trust, target{what: "MNIST, trustworthiness", least: .994, above: true, format: plain})
	for _, f := range figures {
		add(mnistName+"/"+thorough, f.key, target{what: "MNIST, `--thorough`, " + f.title + ", above openTSNE's",
			least: than(mnistName+"/"+openTSNE, f.key), above: true, strict: true, format: plain})
	}
	out = append(out, b.others(sets)...)
	add(splitName(2, first), test9, target{what: "placed test digits, d = 2, 9-NN error", unit: "%", least: 2.8, format: "%.2f"})
	add(jointName(10, first), test9, target{what: "test digits on the joint map, d = 10, 9-NN error", unit: "%", least: 2.2, format: "%.2f"})
	add(splitName(10, first), test9, target{what: "placed test digits, d = 10, 9-NN error", unit: "%", least: 2.4, format: "%.2f"})
	add(jointName(10, first), em, target{what: "EM of the joint map, d = 10", unit: " s", least: 6, format: "%.1f"})
	for _, f := range figures {
		add(dims3Name, f.key, target{what: "MNIST, d = 3, " + f.title + ", against d = 2 less .001", least: than(own, f.key) - .001, above: true, format: plain})
	}
	add(planeName, differ, target{what: "MNIST, d = 2, seeds 1 and 2, bytes in which the maps differ (none: all figures have spread 0)", least: 0, format: "%.0f"})
	for _, f := range figures {
		out = append(out, b.spread(f))
	}
	add(own, em, target{what: "MNIST, EM", unit: " s", least: 8, format: "%.1f"})
	return out
}

// others are the targets on all data sets but MNIST: in how many cells the default
// comes first, and by how much UMAP is ahead at most. They are not measured unless
// every cell is.
func (b *bench) others(sets []*prepared) []target {
	all, cells, first := 0, 0, 0
	worst, where := math.Inf(-1), ""
	umapTitle := methods()[slices.IndexFunc(methods(), func(m method) bool { return m.key == umap })].title
	for _, d := range b.missing {
		if d.name != mnistName {
			all += targeted
		}
	}
	for _, p := range sets {
		if p.name == mnistName {
			continue
		}
		for _, f := range p.quality()[:targeted] {
			all++
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
				worst, where = theirs-ours, " ("+p.title+", "+f.title+")"
			}
		}
	}
	unknown := cells < all || all == 0
	if unknown {
		where = ""
	}
	return []target{
		{what: fmt.Sprintf("other sets, first in cells of 1-NN, 9-NN and trustworthiness, of %d", all),
			value: float64(first), least: float64(all) / 2, above: true, strict: true, format: "%g", unknown: unknown},
		{what: fmt.Sprintf("other sets, the most that %s is ahead%s", umapTitle, where), value: worst, least: .005, format: "%.4f", unknown: unknown},
	}
}

// spread is the largest difference of a figure between seeds in ten dimensions.
func (b *bench) spread(f figure) target {
	out := target{what: fmt.Sprintf("MNIST, d = %d, seeds 1 to %d, spread of %s", seedDims, seedCount, f.title), least: .001, format: "%.4f"}
	var v []float64
	for seed := 1; seed <= seedCount; seed++ {
		x, ok := b.get(seedName(seed), f.key)
		out.unknown = out.unknown || !ok
		v = append(v, x)
	}
	out.value = slices.Max(v) - slices.Min(v)
	return out
}
