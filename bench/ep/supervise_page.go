package main

import (
	"fmt"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/models/student"
)

const supervisionText = `# Labels in learning

Written by ` + "`make supervision`" + `; every figure is measured.

Labels take part in learning by the weights of near edges (` + "`--supervise`, `--supervision`" + `, equation H24): a different label makes a neighbour less
likely to be a row's partner. Further edges stay, and hold together what labels take apart. The place of a new row does not depend on its label.

A map is learnt from %d rows of each set (or all of fewer); every second has its label. As many others are placed on it. Figures are means of %d draws
of the rows: the share of rows with the class that most of the nine nearest labelled rows on the map have.

- held out: the placed rows;
- unlabelled: rows that were learnt from without their label;
- labelled: rows that were learnt from with it, each without its own vote. This one flatters;
- R_NX: how well the neighbourhoods of the data are kept, of all rows that were learnt from (1 is a perfect map, 0 a random one).

Shuffled: the same labels on other rows, which cannot help held-out rows.%s
`

// writeSupervision writes the page.
func writeSupervision(page string, all []*supervised) error {
	var b strings.Builder
	peer := ""
	for _, r := range all {
		if r.Umap != "" {
			peer = fmt.Sprintf(" The peer is %s (Python %s), by its\n`y`, -1 where the label is not known, and `target_weight`.", r.Umap, r.Python)
		}
	}
	fmt.Fprintf(&b, supervisionText, supervisedSizes.train, supervisedDraws, peer)
	supervisionVerdict(&b, all)
	b.WriteString("\n" + harness.Details)
	for _, r := range all {
		r.section(&b)
	}
	return harness.WritePage(page, []byte(b.String()))
}

// section writes the table of a data set.
func (r *supervised) section(b *strings.Builder) {
	fmt.Fprintf(b, "## %s\n\n%d rows to learn from, %d held out, %d classes.\n\n| map | held out | unlabelled | labelled | R_NX |\n|---|---:|---:|---:|---:|\n", r.Name, r.Train, r.Test, r.Classes)
	for _, m := range r.Maps {
		fmt.Fprintf(b, "| %s | %.4f | %.4f | %.4f | %.3f |\n", m.name(), mean(m.Held), mean(m.Rest), mean(m.Own), mean(m.RNX))
	}
	b.WriteString("\n")
}

// name returns the name of the map's method.
func (m *supervisedMap) name() string {
	switch {
	case m.Weight == withoutLabels:
		return m.Program + ", without `y`"
	case m.Program != "unfold":
		return fmt.Sprintf("%s, `target_weight=%g`", m.Program, m.Weight)
	case m.Shuffled:
		return fmt.Sprintf("`--supervision %g`, shuffled", m.Weight)
	}
	return fmt.Sprintf("`--supervision %g`", m.Weight)
}

// find returns our map with the given weight.
func (r *supervised) find(weight float64, shuffled bool) *supervisedMap {
	for i, m := range r.Maps {
		if m.Program == "unfold" && m.Weight == weight && m.Shuffled == shuffled {
			return &r.Maps[i]
		}
	}
	return nil
}

// supervisionVerdict writes the conclusions.
func supervisionVerdict(b *strings.Builder, all []*supervised) {
	b.WriteString("\n## What it says\n\nDifferences from the map without labels, means over the sets:\n\n| | held out | unlabelled | labelled | R_NX |\n|---|---:|---:|---:|---:|\n")
	for i, m := range all[0].Maps {
		base := 0
		for j, other := range all[0].Maps {
			if other.Program == m.Program && other.Weight <= 0 && !other.Shuffled {
				base = j
				break
			}
		}
		if base == i {
			continue
		}
		var d [4]float64
		for _, r := range all {
			with, without := r.Maps[i], r.Maps[base]
			for k, pair := range [][2][]float64{{with.Held, without.Held}, {with.Rest, without.Rest}, {with.Own, without.Own}, {with.RNX, without.RNX}} {
				d[k] += (mean(pair[0]) - mean(pair[1])) / float64(len(all))
			}
		}
		fmt.Fprintf(b, "| %s | %+.4f | %+.4f | %+.4f | %+.3f |\n", m.name(), d[0], d[1], d[2], d[3])
	}
	better, shuffledBetter, sets := 0, 0, 0
	for _, r := range all {
		none, by, shuffled := r.find(0, false), r.find(student.DefaultSupervision, false), r.find(student.DefaultSupervision, true)
		sets++
		if mean(by.Held) >= mean(none.Held) {
			better++
		}
		if mean(shuffled.Held) > mean(none.Held) {
			shuffledBetter++
		}
	}
	fmt.Fprintf(b, "\nWith the default of `--supervise`, %g, held-out rows are predicted at least as well as without labels on %d of %d sets, and with shuffled labels better than without on %d.\n",
		student.DefaultSupervision, better, sets, shuffledBetter)
	b.WriteString(`
The default is below 1, so that a wrong label does not take a row from all its neighbours. Judge a map by rows with unseen labels.
`)
}
