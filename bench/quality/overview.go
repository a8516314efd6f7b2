package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
)

// unseen describes which sets were used when the defaults were chosen.
func unseen() string {
	var others, looked []string
	for _, d := range datasets("") {
		if slices.Contains(lookedAt, d.name) {
			looked = append(looked, d.title)
		} else {
			others = append(others, d.title)
		}
	}
	if len(others) == 0 {
		return "All of these data sets were looked at while the defaults were chosen; the peers' defaults were chosen on others."
	}
	return fmt.Sprintf("These data sets were looked at while the defaults were chosen: %s. These were not: %s.", strings.Join(looked, ", "), strings.Join(others, ", "))
}

// ranked are the figures of the overview.
func ranked() []figure {
	return append(structure(), figure{nn1, "1-NN", false}, figure{nn9, "9-NN", false})
}

// writeFirsts writes, for each figure, the number of sets on which each method is first.
func (b *bench) writeFirsts(w *bytes.Buffer, sets []*prepared) {
	for _, own := range []string{byDefault, thorough} {
		players := contest(own)
		first, judged := b.countFirsts(players, sets)
		if len(judged) == 0 {
			continue
		}
		fmt.Fprintf(w, "## Who is first: %s and the peers\n\nThe number of data sets on which each is first, or within two standard errors of the first.\n\n| |", players[0].title)
		for _, f := range ranked() {
			fmt.Fprintf(w, " %s |", f.title)
		}
		w.WriteString("\n|---|" + strings.Repeat("---|", len(ranked())) + "\n")
		for _, m := range players {
			fmt.Fprintf(w, "| %s |", m.title)
			for _, f := range ranked() {
				fmt.Fprintf(w, " %d |", first[m.key][f.key])
			}
			w.WriteString("\n")
		}
		w.WriteString("| of |")
		for _, f := range ranked() {
			fmt.Fprintf(w, " %d |", judged[f.key])
		}
		w.WriteString("\n\n")
	}
}

// countFirsts counts the sets on which a method is first, by method and figure, and the judged sets
// by figure.
func (b *bench) countFirsts(players []method, sets []*prepared) (first map[string]map[string]int, judged map[string]int) {
	first, judged = map[string]map[string]int{}, map[string]int{}
	for _, m := range players {
		first[m.key] = map[string]int{}
	}
	for _, p := range sets {
		for _, f := range p.quality() {
			keys := b.firsts(p.name, players, f)
			if keys == nil {
				continue
			}
			judged[f.key]++
			for _, key := range keys {
				first[key][f.key]++
			}
		}
	}
	return first, judged
}

// writeLosses writes where a peer's map is better than the default's.
func (b *bench) writeLosses(w *bytes.Buffer, sets []*prepared) {
	losses := b.losses(byDefault, sets)
	if len(losses) == 0 {
		return
	}
	w.WriteString("## Where peers win\n\nThe best peer, and by how much it is ahead of the default's map, where that is more than two standard errors. For 1-NN and 9-NN on sets without classes a lower figure is better:\n\n")
	for _, f := range append(ranked(), figure{truth, "true distances", false}) {
		var cells []string
		for _, l := range losses {
			if l.figure.key == f.key {
				cells = append(cells, fmt.Sprintf("%s (%s %+.*f)", l.set.title, l.peer.title, digits, rounded(l.figure.shown(l.other))-rounded(l.figure.shown(l.own))))
			}
		}
		if len(cells) > 0 {
			fmt.Fprintf(w, "- **%s**: %s.\n", f.title, strings.Join(cells, ", "))
		}
	}
	w.WriteString("\n")
}

// rounded returns a figure as the tables show it.
func rounded(v float64) float64 { return math.Round(v*math.Pow10(digits)) / math.Pow10(digits) }
