package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"unfold/bench/internal/harness"
)

const introduction = `# Labels on the map

Written by ` + "`make ep`" + `; every figure is measured.

Package models/ep is sparse expectation propagation for Gaussian process classification, also of uncertain inputs (Andrade-Pacheco, Hensman, Zwiessele
and Lawrence, AISTATS 2014). Package models/ep/labels predicts the classes of events by it, together with the votes of labelled neighbours.
`

const places = `
## Classes of placed events

A map is learnt without labels. A share of its rows then gets labels, and the classes of placed rows are predicted. Figures are means of %d draws of rows and labels. Accuracy is the share of right classes, Log the mean log probability of the true class (a
probability of 0 counts as 1e-12). Brier is the mean squared distance of probabilities and class. ECE is the mean difference between confidence and share of
right classes in ten bins, which the pictures show.

- ` + "`unfold`" + `: local processes on the map, on uncertain inputs, pooled with votes of labelled neighbours on the map and in the input and with planes.
- certain places: the same without the places' scales.
- 9-NN: shares of the votes of the nine nearest labelled rows, on the map and in the model's input, with one more vote divided among all classes.
- logistic: multinomial logistic regression on the first %d principal components of what the model sees, standardised (scikit-learn%s).
- GP of scikit-learn: GaussianProcessClassifier on the same components, learnt from at most %d of the labelled rows.
`

// sharpPlaces explains why scales hardly ever matter.
const sharpPlaces = `
Factors are 0 because the errors of places are small compared with the distances over which classes change. Uncertain inputs multiply the covariances of
a process by (1 + sigma^2/length^2)^(-1/2) in each dimension. The length scale is about half the radius of a part of the map, and the
standard error of a place is a small part of that. Training checks this first: if nine of ten places have less than a twentieth of the squared length scale, it skips the scales. In the better cells scales help through the weights of the opinions, at almost no cost.
`

const hybrids = `
## One latent space for data and labels

A classifier and a GP-LVM share their uncertain inputs (ep.Hybrid): vectors of all rows and known labels together determine the places.
` + "`fit --kind gplvm --supervise COL`" + ` learns such a model; it places later rows by their vectors alone ([data.md](data.md), "Labels that take part"). It is compared
with a classifier on principal components, and one on the places of a sparse GP-LVM without labels. Log is the mean log probability of the true class.
Figures are means of several draws, with their standard errors.
`

var methods = [...]string{"on PCA", "on GP-LVM", "hybrid"}

// write writes the page and its pictures.
func write(page string, r *results) error {
	folder := strings.TrimSuffix(page, ".md")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(introduction)
	peers := ""
	if c := r.maps[0]; c.Sklearn != "" {
		peers = fmt.Sprintf(" %s, Python %s", c.Sklearn, c.Python)
	}
	fmt.Fprintf(&b, places, draws, components, peers, subset)
	r.verdicts(&b)
	rows := scales(&b, r.maps)
	r.cost.section(&b)
	b.WriteString(hybrids)
	for _, t := range r.hybrid {
		t.section(&b)
	}
	b.WriteString("\n" + harness.Details + "## Uncertain places\n\n" + rows + "\n## Classes of placed events\n")
	for _, c := range r.maps {
		c.section(&b)
	}
	for i, c := range r.maps {
		file := fmt.Sprintf("reliability-%d.svg", i+1)
		if err := os.WriteFile(filepath.Join(folder, file), []byte(c.picture()), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n![Reliability of %s](%s/%s)\n", c.Name, filepath.Base(folder), file)
	}
	return harness.WritePage(page, []byte(b.String()))
}

// section writes the table of a data set.
func (c *comparison) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%d rows to learn from, %d placed, up to %d classes; the model sees %d columns.\n\n", c.Name, c.Train, c.Test, c.Classes, c.Dims)
	b.WriteString("| Share | labels | by | accuracy | log | Brier | ECE |\n|---:|---:|---|---:|---:|---:|---:|\n")
	for _, cell := range c.Cells {
		for _, name := range ways {
			if w := cell.Ways[name]; w != nil {
				fmt.Fprintf(b, "| %g%% | %.0f | %s | %.4f | %.4f | %.4f | %.4f |\n", cell.Percent, mean(cell.Labels), name, mean(w.Right), mean(w.Log), mean(w.Brier), mean(w.ECE))
			}
		}
	}
}

// best returns the largest mean of a figure among the baselines.
func (c *cell) best(of func(w *way) []float64, among []string) float64 {
	var all []float64
	for _, name := range among {
		if w := c.Ways[name]; w != nil {
			all = append(all, mean(of(w)))
		}
	}
	return slices.Max(all)
}

// Targets: how much accuracies may be below the best baseline's, with all labels and with few, the
// same for log scores, and the largest calibration errors.
const (
	lessAll, lessFew = .003, .005
	lessLog          = .02
	mostECE          = .02
	mostECETenth     = .04
)

// verdicts compares our results with the baselines.
func (r *results) verdicts(b *strings.Builder) {
	b.WriteString("\n### Beside the baselines\n\nDifferences from the best baseline: for accuracy with all labels the better 9-NN, otherwise the best of all four.\n\n")
	b.WriteString("| Data | share | accuracy | log | ECE | reached |\n|---|---:|---:|---:|---:|---|\n")
	accurate, above, never, calibrated, cells, judged := 0, 0, 0, 0, 0, 0
	for _, c := range r.maps {
		for _, cell := range c.Cells {
			among, less := ways[baselines:], lessFew
			if cell.Percent == 100 {
				among, less = []string{wayMap, wayInput}, lessAll
			}
			w := cell.Ways[wayOurs]
			right := mean(w.Right) - cell.best(func(w *way) []float64 { return w.Right }, among)
			log := mean(w.Log) - cell.best(func(w *way) []float64 { return w.Log }, ways[baselines:])
			most := map[float64]float64{100: mostECE, 10: mostECETenth}[cell.Percent]
			var missed []string
			note := func(what string, ok bool) int {
				if !ok {
					missed = append(missed, what)
				}
				return b2i(ok)
			}
			cells++
			accurate += note("accuracy", right >= -less)
			above += b2i(log > 0)
			never += note("log", log >= -lessLog)
			if most > 0 {
				judged++
				calibrated += note("ECE", mean(w.ECE) <= most)
			}
			verdict := "yes"
			if len(missed) > 0 {
				verdict = "not " + strings.Join(missed, ", ")
			}
			fmt.Fprintf(b, "| %s | %g%% | %+.4f | %+.4f | %.4f | %s |\n", c.Name, cell.Percent, right, log, mean(w.ECE), verdict)
		}
	}
	fmt.Fprintf(b, "\nIn %d of %d cells the accuracy is that of the best baseline (or lower by at most %g with all labels, %g with fewer). The log score is above every baseline in %d cells, and lower than the best by more than %g "+
		"in %d. The calibration error is at most %g with all labels and %g with a tenth in %d of %d.\n", accurate, cells, lessAll, lessFew, above, lessLog, cells-never, mostECE, mostECETenth, calibrated, judged)
}

// scales compares uncertain places with certain ones. It returns the table behind the comparison.
func scales(b *strings.Builder, maps []comparison) string {
	var rows strings.Builder
	b.WriteString("\n### Uncertain places\n\nMean differences between the scores with and without scales, and their standard errors (a larger log score and a smaller Brier score are better). Scales may be part of the processes and of the opinions' weights. Each draw chooses the factor of their squares in the processes, 1, 1/4 or 0, by the labelled rows.\n")
	rows.WriteString("| Data | share | factors | log | standard error | Brier | standard error | |\n|---|---:|---|---:|---:|---:|---:|---|\n")
	better, worse, all := 0, 0, 0
	for _, c := range maps {
		for _, cell := range c.Cells {
			verdict, factors := "as good", []string{}
			switch {
			case cell.Log.Mean < -2*cell.Log.Err || cell.Brier.Mean > 2*cell.Brier.Err:
				verdict = "worse"
				worse++
			case cell.Log.Mean > 2*cell.Log.Err || cell.Brier.Mean < -2*cell.Brier.Err:
				verdict = "better"
				better++
			}
			all++
			for _, f := range cell.Spread {
				factors = append(factors, fmt.Sprint(f))
			}
			fmt.Fprintf(&rows, "| %s | %g%% | %s | %+.5f | %.5f | %+.5f | %.5f | %s |\n", c.Name, cell.Percent, strings.Join(factors, ", "), cell.Log.Mean, cell.Log.Err, cell.Brier.Mean, cell.Brier.Err, verdict)
		}
	}
	fmt.Fprintf(b, "\nIn %d cells, scales make a score better in %d and worse in %d, by more than two standard errors.\n"+sharpPlaces, all, better, worse)
	return rows.String()
}

func (c *cost) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n### What it costs\n\n%d labelled events of %d classes on random islands, %d columns; %d parts of the map have processes. \"Again\" starts from\nknown "+
		"sites. Times by the clock are of %d threads, beside other programs; processor times are sums over the threads.\n\n"+
		"| | by the clock | of the processor |\n|---|---:|---:|\n| training | %.2f s | %.2f s |\n| again | %.2f s | %.2f s |\n| predictions | %.0f/s | %.1f us each |\n",
		c.Labels, c.Classes, c.Dim, c.Parts, c.Threads, c.Train, c.TrainCPU, c.Again, c.AgainCPU, c.Rate, c.EachCPU)
}

// section is the table of the hybrid on a data set.
func (t *shareTable) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s, few rows\n\n%d rows to learn from, %d to test, %d classes; %d latent dimensions, %d inducing inputs; %d draws.\n\n", t.Name, t.Train, t.Test, t.Class, t.Dims, t.Inducing, t.Draws)
	b.WriteString("| Share | labels |")
	for _, m := range methods {
		fmt.Fprintf(b, " wrong, %s | log |", m)
	}
	b.WriteString("\n|---:|---:|" + strings.Repeat("---:|---:|", len(methods)) + "\n")
	for _, r := range t.Rows {
		fmt.Fprintf(b, "| %g%% | %d |", r.Percent, r.Labels)
		for _, draws := range r.Methods {
			var wrong, log, zero []float64
			for _, one := range draws {
				wrong, log, zero = append(wrong, 100*one.Wrong), append(log, one.Log), append(zero, 0)
			}
			w, l := pair(wrong, zero), pair(log, zero)
			fmt.Fprintf(b, " %.1f ± %.1f%% | %.2f ± %.2f |", w.Mean, w.Err, l.Mean, l.Err)
		}
		b.WriteString("\n")
	}
}
