package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"unfold/internal/atomicfile"
)

const introduction = `# Novelty and likelihood

Written by ` + "`make novelty`" + `; every figure is measured.

Three scores measure how unlike a row is to those that a map was learnt from. ` + "`novelty_global`" + ` and ` + "`novelty_local`" + ` are percentiles of
distances in the input ([columns.md](columns.md)). ` + "`loglik`" + ` is the log-likelihood of the row under the model, given its place
(` + "`embed --loglik`" + `, ` + "`serve --loglik`" + `, ` + "`sink.loglik`" + ` in a stage, ` + "`Map.LogLik`" + ` in Go, ` + "`score_samples`" + ` in Python). It is not a percentile, so it also ranks rows beyond all those of the map. It is in nats; values of different maps cannot be compared.

- Kind ` + "`lvm`" + `, the default and ` + "`--tails gaussian`" + `: how likely the lengths of the row's edges to its nearest reference points are,
  given where these points lie on the map ([equations.md](reference/equations.md), N 1, N 2 and H 25). A row is unlikely if it is far from its neighbours, or
  if they lie apart on the map.
- Kind ` + "`gplvm`" + `: the density of the row's values at its most likely place (Lawrence 2005, section 8.1, eq 19 to 21). Rows with missing
  values have the marginal density of the others. A learnt row has a higher density than an equal new row.

Other kinds have no likelihood of new rows.

## Classes that were not learnt

A map is learnt without some classes. It then scores other rows of the learnt classes and rows of the missing ones. The table has the area under the ROC curve (AUC): how often a row of an unseen class is the more novel one of a pair, where ties count half. Figures are means of three maps for each set. Each leaves out a third of the classes; for connections every map leaves out all attacks. Equal rows are used once. Numbers of connections are log(1 + v), standardised by the learnt rows. Settings are the defaults, except that ` + "`gplvm`" + `
learns a sample of 300 rows in 60 steps and places all others by it, connections after a projection to 20 principal components. In bold: the best of the row.

`

// write writes the page.
func write(page string, all []*outcome) error {
	var w strings.Builder
	w.WriteString(introduction)
	w.WriteString("| rows | values | learnt | kind | `loglik` | `novelty_global` | `novelty_local` |\n|---|---:|---:|---|---:|---:|---:|\n")
	for _, o := range all {
		for k, s := range o.kinds {
			best := max(s.LogLik, s.Global, s.Local)
			fmt.Fprintf(&w, "| %s | %d | %d | %s |", o.set.name, o.dim, o.learnt, kinds[k].name)
			for _, v := range []float64{s.LogLik, s.Global, s.Local} {
				if v == best {
					fmt.Fprintf(&w, " **%.4f** |", v)
				} else {
					fmt.Fprintf(&w, " %.4f |", v)
				}
			}
			w.WriteString("\n")
		}
	}
	fmt.Fprintf(&w, "\nEach map scores up to %d rows of the learnt classes and as many of the others.\n", all[0].seen)
	for k, kind := range kinds {
		w.WriteString("\n" + verdict(kind.name, all, k) + "\n")
	}
	err := atomicfile.Write(page, func(f io.Writer) error { _, err := io.WriteString(f, w.String()); return err })
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.Chmod(page, 0o644)
}

// verdict names the sets on which the likelihood of a kind is below the global novelty.
func verdict(kind string, all []*outcome, k int) string {
	var below []string
	for _, o := range all {
		if s := o.kinds[k]; s.LogLik < s.Global {
			below = append(below, fmt.Sprintf("%s (by %.4f)", o.set.name, s.Global-s.LogLik))
		}
	}
	text := fmt.Sprintf("Kind %s: `loglik` is at least `novelty_global` on %d of %d sets.", kind, len(all)-len(below), len(all))
	if len(below) > 0 {
		text += " It is lower on " + strings.Join(below, "; ") + "."
	}
	return text
}
