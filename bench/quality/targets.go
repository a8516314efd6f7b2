package main

import (
	"fmt"
	"math"
	"slices"

	"unfold/bench/internal/harness"
)

// target is a figure with its bound.
type target struct {
	what  string
	value float64
	unit  string
	least float64 // the bound; NaN if it is an unmeasured figure
	above bool    // true for a lower bound
	// strict bounds are not met by equality.
	strict bool
	// format formats value and bound.
	format string
	// unknown targets were not measured, toy ones were measured on toy data.
	unknown, toy bool
	// busy ones are times that are invalid, because other processes used much of the machine.
	busy bool
}

func (b target) limit() harness.Bound {
	return harness.Bound{Value: b.least, Above: b.above, Strict: b.strict, Format: b.format, Unit: b.unit}
}

func (b target) verdict() string {
	switch {
	case b.unknown:
		return harness.NotMeasured
	case b.toy:
		return harness.ToyData
	case b.busy:
		return harness.Busy
	}
	return b.limit().Verdict(b.value)
}

// count returns the number of targets with each verdict.
func count(targets []target) map[string]int {
	n := map[string]int{}
	for _, x := range targets {
		n[x.verdict()]++
	}
	return n
}

func (b target) measured() string {
	if b.unknown || b.busy {
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

// targets returns all targets in the order of the page.
func (b *bench) targets(sets []*prepared) []target {
	out := b.onAllSets(sets)
	add := func(name, key string, x target) {
		v, ok := b.get(name, key)
		if x.unit == "%" {
			v *= 100
		}
		x.value, x.unknown = v, !ok || math.IsNaN(x.least)
		x.busy = !x.unknown && slices.Contains([]string{em, ratio}, key) && !b.results[name].quiet()
		out = append(out, x)
	}
	// than returns a figure that is used as a bound.
	than := func(name, key string) float64 {
		if v, ok := b.get(name, key); ok {
			return v
		}
		return math.NaN()
	}
	own, first := mnistName+"/"+byDefault, methods()[0]
	figures := dataset{}.local()
	out = append(out, b.onSets()...)
	for _, f := range figures {
		add(mnistName+"/"+thorough, f.key, target{what: "MNIST, `--thorough`, " + f.title + ", above openTSNE's",
			least: than(mnistName+"/"+openTSNE, f.key), above: true, strict: true, format: plain})
	}
	add(splitName(2, first), test9, target{what: "placed test digits, d = 2, 9-NN error", unit: "%", least: 2.6, format: "%.2f"})
	add(jointName(10, first), test9, target{what: "test digits on the joint map, d = 10, 9-NN error", unit: "%", least: 2.2, format: "%.2f"})
	add(splitName(10, first), test9, target{what: "placed test digits, d = 10, 9-NN error", unit: "%", least: 2.3, format: "%.2f"})
	add(jointName(10, first), em, target{what: "EM of the joint map, d = 10", unit: " s", least: 6, format: "%.1f"})
	for _, f := range figures {
		add(dims3Name, f.key, target{what: "MNIST, d = 3, " + f.title + ", against d = 2 less .001", least: than(own, f.key) - .001, above: true, format: plain})
	}
	add(planeName, differ, target{what: "MNIST, d = 2, seeds 1 and 2, bytes in which the maps differ (none: all figures have spread 0)", least: 0, format: "%.0f"})
	for _, f := range figures {
		out = append(out, b.spread(f))
	}
	add(own, em, target{what: "MNIST, EM", unit: " s", least: 8, format: "%.1f"})
	add(costName, ratio, target{what: "MNIST, the whole process' time relative to the earlier build's", least: 1.15, format: "%.2f"})
	add(costName, memory, target{what: "MNIST, memory of a fit, also of 784 values with a report", unit: " GB", least: .35, format: "%.2f"})
	if b.small {
		for i := range out {
			out[i].toy = true
		}
	}
	return out
}

// plain prints a share.
const plain = "%.4f"

// onSets returns the targets on single sets: medians over the default's seeds.
func (b *bench) onSets() (out []target) {
	for _, x := range []struct {
		set, title string
		figure     figure
		least      float64
	}{
		{rollName, "Swiss roll", figure{truth, "distances on the sheet", false}, .95},
		{"nslkdd", "NSL-KDD", figure{rnx, "R_NX", false}, .55},
		{"nslkdd", "NSL-KDD", figure{shepard, "Shepard", false}, .6},
		{"nslkdd", "NSL-KDD", figure{cont, "continuity", false}, .997},
		{"nslkdd", "NSL-KDD", figure{nn1, "1-NN", false}, .9945},
		{"mammoth", "Mammoth", figure{rnx, "R_NX", false}, .73},
		{"mammoth", "Mammoth", figure{triplets, "triplets", false}, .87},
		{"mammoth", "Mammoth", figure{trust, "trustworthiness", false}, .9997},
	} {
		e, known := b.value(x.set, byDefault, x.figure)
		out = append(out, target{what: x.title + ", " + x.figure.title, value: e.value, least: x.least, above: true, format: plain, unknown: !known})
	}
	sheet, known := b.value(rollName, geodesic, figure{truth, "", false})
	return append(out, target{what: "Swiss roll, distances on the sheet, `--frame geodesic`", value: sheet.value, least: .99, above: true, format: plain, unknown: !known})
}

// spread returns the largest difference of a figure between seeds in ten dimensions.
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
