package main

import (
	"bytes"
	"fmt"
)

// story describes the scenario.
func (p *prequential) story(size int) string {
	return fmt.Sprintf(`The %d connections of KDD Cup 1999 in the order of their file, %d values each (numbers as logarithms, one element per category). The first %d
connections give the categories and the first map. Blocks of %d are placed, judged and then learnt: by the reference set, a reservoir of at most %d
distinct vectors, and by the maps. The 9 nearest reference points on the map vote for an event's label. All maps have the same labelled reference
points; only the places differ. %.2f%% of the events are of a type that no earlier block had, so no vote for them can be right.`, sum(p.Events)+p.First, p.Dim, p.First, p.Block, size, 100*p.unknown())
}

// unknown returns the share of events of unknown types.
func (p *prequential) unknown() float64 { return float64(sum(p.Unknown)) / float64(sum(p.Events)) }

// judged writes the tables of errors and of novelty.
func (p *prequential) judged(w *bytes.Buffer) {
	w.WriteString("| map | 9-NN error | mean of the types' errors | fits and refreshes | CPU s |\n|---|---|---|---|---|\n")
	for _, c := range p.Maps {
		if c.Missing != "" {
			fmt.Fprintf(w, "| %s | missing: %s | | | |\n", c.Name, c.Missing)
			continue
		}
		name, byType := c.Name, fmt.Sprintf("%.2f%%", 100*c.ByType)
		if c.Every > 1 { // rare types are hardly among these events
			name, byType = fmt.Sprintf("%s; judged by every %dth event", name, c.Every), ""
		}
		fmt.Fprintf(w, "| %s | %.2f%% | %s | %d | %.1f |\n", name, 100*c.rate(), byType, c.Fits, c.Seconds)
	}
	fmt.Fprintf(w, "\nCPU seconds are of learning and placing. %d of the map's %d refreshes were major.\n\n", p.Majors, p.Refreshes)
	fmt.Fprintf(w, `How well novelty separates the %d events of the %d types not yet seen from all others, as the area under the ROC curve:

| percentile | all such events | mean over their types |
|---|---|---|
| novelty_local | %.4f | %.4f |
| novelty_global | %.4f | %.4f |

`, sum(p.Unknown), p.Types, p.Local.Events, p.Local.Types, p.Global.Events, p.Global.Types)
}

// bins is the approximate number of points of a curve.
const bins = 50

// plot draws the errors over the stream.
func (p *prequential) plot() plot {
	per := (len(p.Events) + bins - 1) / bins
	over := func(name string, of, all []int) curve {
		c := curve{name: name}
		for from := 0; from < len(of); from += per {
			to := min(from+per, len(of))
			c.values = append(c.values, 100*float64(sum(of[from:to]))/float64(sum(all[from:to])))
		}
		return c
	}
	out := plot{name: "error", title: "9-NN label error before learning, % of the events", axis: fmt.Sprintf("parts of %d events", per*p.Block)}
	for k, c := range p.Maps {
		if c.Missing == "" && k != frozenAlone { // its errors would dwarf the others'
			out.curves = append(out.curves, over(c.Name, c.Wrong, c.Judged))
		}
	}
	out.curves = append(out.curves, over("types not yet seen", p.Unknown, p.Events))
	return out
}

// times writes the table of placing times.
func (o *outcome) times(w *bytes.Buffer) {
	w.WriteString("| | events | p50, ms | p99, ms |\n|---|---|---|---|\n")
	for _, row := range []struct{ name, count, p50, p99 string }{
		{"nothing is learnt", stillCount, stillP50, stillP99}, {"during a refresh", duringCount, duringP50, duringP99},
	} {
		fmt.Fprintf(w, "| %s | %.0f | %.3f | %.3f |\n", row.name, o.Figures[row.count], 1e3*o.Figures[row.p50], 1e3*o.Figures[row.p99])
	}
	w.WriteString("\n")
}
