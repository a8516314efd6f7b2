package main

import (
	"fmt"
	"math"

	"unfold/bench/internal/harness"
	"unfold/models/live"
)

// target is a figure with its bound.
type target struct {
	scenario, what string
	value, bound   float64
	above          bool // true for a lower bound
	format, unit   string
	known, toy     bool
	earlier        string // the line of the present page, if the figure is unknown
}

func (b target) limit() harness.Bound {
	return harness.Bound{Value: b.bound, Above: b.above, Format: b.format, Unit: b.unit}
}

// verdict returns the verdict; none on toy data.
func (b target) verdict() string {
	switch {
	case b.earlier != "":
		return verdictOf(b.earlier)
	case !b.known:
		return harness.NotMeasured
	case b.toy:
		return harness.ToyData
	}
	return b.limit().Verdict(b.value)
}

func (b target) measured() string {
	switch {
	case !b.known:
		return ""
	case math.IsInf(b.value, 0):
		return "never"
	}
	return b.limit().Show(b.value)
}

func count(targets []target) map[string]int {
	n := map[string]int{}
	for _, b := range targets {
		n[b.verdict()]++
	}
	return n
}

// targets returns all targets in the order of the page.
func targets(all map[string]*outcome) []target {
	var out []target
	add := func(name string, b target, value func(o *outcome) float64) {
		b.scenario = name
		if o := all[name]; o != nil {
			b.value, b.known, b.toy = value(o), true, o.Toy
			b.known = !math.IsNaN(b.value)
		}
		out = append(out, b)
	}
	percent := func(what string, bound float64) target {
		return target{what: what, bound: bound, format: "%.2f", unit: "%"}
	}
	for _, name := range []string{stationary, gaussian} {
		add(name, percent("CPU of an ordinary refresh, of a full fit's", 5), func(o *outcome) float64 {
			return 100 * mean(o.ordinary(), step.cpu) / o.fitCPU()
		})
		add(name, percent("CPU of a refresh on average, majors and all, of a full fit's", 10), func(o *outcome) float64 {
			return 100 * mean(o.Steps, step.cpu) / o.fitCPU()
		})
		for q, bound := range []float64{.15, .35, .9} {
			b := percent(fmt.Sprintf("moves in an ordinary refresh, %s, of the diameter", quantiles[q]), bound)
			add(name, b, func(o *outcome) float64 {
				return mean(o.second(live.Ordinary), func(s step) float64 { return moves(s.Moves)[q] })
			})
		}
		for q, bound := range []float64{1.5, 4, 10} {
			b := percent(fmt.Sprintf("moves of survivors in a major refresh, %s, of the diameter", quantiles[q]), bound)
			add(name, b, func(o *outcome) float64 {
				return mean(ofKind(o.Steps, live.Major), func(s step) float64 { return moves(s.Moves)[q] })
			})
		}
		for _, at := range []string{before, atEnd} {
			for _, b := range deficits(at, []float64{.002, .002, .003, .3}) {
				add(name, b.target, b.value)
			}
		}
		add(name, target{what: "alarms", format: "%.0f"}, func(o *outcome) float64 { return float64(len(o.alarms())) })
	}
	for s := 1; s <= 2; s++ { // package live keeps no more
		b := target{what: fmt.Sprintf("CPU of the graph with its parts kept, of that in batch, s = %d", s), bound: 100, format: "%.0f", unit: "%"}
		add(gaussian, b, func(o *outcome) float64 { return 100 * o.Graphs[s-1].Kept / o.Graphs[s-1].Batch })
	}
	for _, at := range []string{atFull, atEnd} {
		for _, b := range deficits(at, []float64{.003, .003, .003}) {
			add(growth, b.target, b.value)
		}
	}
	add(appears, target{what: "refreshes until the alarm", bound: 5, format: "%.0f"}, func(o *outcome) float64 {
		if a := o.alarms(); len(a) > 0 {
			return float64(a[0])
		}
		return math.Inf(1)
	})
	add(appears, target{what: "9-NN recall of the new class at the end", bound: .91, above: true, format: "%.4f"}, func(o *outcome) float64 { return o.at(atEnd).Live.Recall })
	add(appears, target{what: "pieces of it", bound: 1, format: "%.0f"}, func(o *outcome) float64 { return float64(o.at(atEnd).Live.Pieces) })
	add(appears, target{what: "9-NN accuracy of the others, below a fresh fit's", bound: .005, format: "%.4f"}, below(atEnd, func(q quality) float64 { return q.Others }))
	add(leaves, target{what: "9-NN accuracy when the class has gone, below a fresh fit's", bound: .002, format: "%.4f"}, below(before, func(q quality) float64 { return q.NN9 }))
	add(leaves, target{what: "old places of the class in use after the major, relative to those of the others", bound: .8, above: true, format: "%.2f"}, func(o *outcome) float64 {
		return o.Figures[againLate] / o.Figures[againOthers]
	})
	add(serving, target{what: "p99 of placing one event during a refresh, relative to that without", bound: 2, format: "%.2f"}, func(o *outcome) float64 {
		return o.Figures[duringP99] / o.Figures[stillP99]
	})
	add(restart, target{what: "from the state of 100,000 points to the first placed event, slowest start", bound: 1, format: "%.2f", unit: " s"}, func(o *outcome) float64 { return o.Figures[startWorst] })
	add(restart, target{what: "answers that are not those from before the stop", format: "%.0f"}, func(o *outcome) float64 { return o.Figures[differ] })
	youngTargets(add)
	return out
}

var quantiles = []string{"median", "90th percentile", "99th percentile"}

func moves(m live.Moves) [3]float64 { return [3]float64{m.Median, m.P90, m.P99} }

// deficit is a target for the difference between a fresh map and the live one.
type deficit struct {
	target target
	value  func(o *outcome) float64
}

var qualities = []struct {
	name   string
	format string
	of     func(q quality) float64
}{
	{"1-NN accuracy", "%.4f", func(q quality) float64 { return q.NN1 }},
	{"9-NN accuracy", "%.4f", func(q quality) float64 { return q.NN9 }},
	{"trustworthiness", "%.4f", func(q quality) float64 { return q.Trust }},
	{"likelihood a point", "%.3f", func(q quality) float64 { return q.Loglik }},
}

// marks describes the marks.
var marks = map[string]string{atStart: "at the start", atFull: "when the set is full", before: "before the backstop", atEnd: "at the end"}

func deficits(at string, bounds []float64) (out []deficit) {
	for k, bound := range bounds {
		q := qualities[k]
		out = append(out, deficit{target{what: q.name + " " + marks[at] + ", below a fresh fit's", bound: bound, format: q.format}, below(at, q.of)})
	}
	return out
}

// below returns the deficit of the live map in a quality.
func below(at string, of func(q quality) float64) func(o *outcome) float64 {
	return func(o *outcome) float64 {
		m, there := o.Marks[at]
		if !there {
			return math.NaN()
		}
		return of(m.Fresh) - of(m.Live)
	}
}

func (o *outcome) at(name string) mark { return o.Marks[name] }

// fitCPU returns the mean over the marks' fresh fits.
func (o *outcome) fitCPU() float64 {
	var sum float64
	for _, name := range []string{atStart, atFull, before, atEnd} { // in a fixed order
		sum += o.Marks[name].FreshCPU
	}
	return sum / float64(len(o.Marks))
}

// ordinary returns the ordinary refreshes.
func (o *outcome) ordinary() []step { return o.kind(live.Ordinary) }

// kind returns the refreshes of a kind.
func (o *outcome) kind(k live.Kind) []step { return ofKind(o.Steps, k) }

func (o *outcome) second(k live.Kind) []step { return ofKind(o.Steps[len(o.Steps)/2:], k) }

func ofKind(steps []step, k live.Kind) (out []step) {
	for _, s := range steps {
		if s.Kind == k.String() {
			out = append(out, s)
		}
	}
	return out
}

// alarms returns the refreshes, from 1, at which an alarm began.
func (o *outcome) alarms() (out []int) {
	for i, s := range o.Steps {
		if s.Raised {
			out = append(out, i+1)
		}
	}
	return out
}

func (s step) cpu() float64 { return s.CPU }

// mean of a figure of steps, NaN of none.
func mean(steps []step, of func(s step) float64) float64 {
	var sum float64
	for _, s := range steps {
		sum += of(s)
	}
	return sum / float64(len(steps))
}
