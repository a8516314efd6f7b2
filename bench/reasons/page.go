package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"unfold/bench/internal/harness"
)

const introduction = `# Reasons

Package models/reasons splits the novelty of an event exactly over the columns of its source ([equations.md](reference/equations.md), R1 to R5). Here it
names the columns of attacks, compared with [SHAP](https://shap.readthedocs.io). ` + "`make reasons`" + ` writes this page; every figure is measured.

The map is learnt from normal connections alone: numbers as log(1 + v), standardised, words as one element per category. Precision at 3 is the share of known signs of the attack among the first three columns, relative to the largest possible share. It is averaged over the events of each attack, then over the attacks. ` + "`bench/reasons/attacks.go`" + ` lists these columns and their sources.

SHAP explains the same score, the mean distance to the 10 nearest reference points, over the same columns, by permutations and by the kernel
explainer. Absent columns are those of some reference points (background). Its time is for the explainer with an exact search by matrix products, ours for placing and explaining.
`

// goals of the page.
var (
	sums  = harness.Bound{Value: 1e-9, Format: "%.1e"}
	rate  = harness.Bound{Value: 100_000, Above: true, Format: "%.0f", Unit: "/s"}
	quick = harness.Bound{Value: 0.001, Format: "%.6f"}
)

// target is a goal with its measured value.
type target struct {
	what    string
	bound   harness.Bound
	figure  float64
	verdict string
}

// targets returns the goals of a data set.
func (o *outcome) targets() []target {
	judged := func(what string, b harness.Bound, figure float64, timed bool) target {
		t := target{what, b, figure, b.Verdict(figure)}
		switch {
		case o.Toy:
			t.verdict = harness.ToyData
		case math.IsNaN(figure) || math.IsNaN(b.Value):
			t.verdict = harness.NotMeasured
		case timed && t.verdict == harness.Missed && o.Others > busy:
			t.verdict = harness.Busy
		}
		return t
	}
	own, best, quickest := math.NaN(), math.NaN(), math.NaN()
	for _, m := range o.Methods {
		_, p := o.precisions(m, 3)
		switch {
		case m.Name == "unfold":
			own = p
		case m.Asked > 1:
			best, quickest = maxOf(best, p), minOf(quickest, m.Seconds)
		}
	}
	better := harness.Bound{Value: best, Above: true, Format: "%.3f"}
	return []target{
		judged("error of the sum of all shares", sums, o.Sum, false),
		judged("precision at 3, beside the better of SHAP's", better, own, false),
		judged("time of an event, of SHAP's quicker one's", quick, o.Methods[0].Seconds/quickest, true),
		judged("events explained", rate, o.Rate, true),
	}
}

// busy is the share of the processors that others may use before a missed time is not counted.
const busy = 0.1

func maxOf(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return max(a, b)
}

func minOf(a, b float64) float64 {
	if math.IsNaN(a) {
		return b
	}
	return min(a, b)
}

// write writes the page and returns the number of goals by verdict.
func write(page string, all []*outcome) (map[string]int, error) {
	var b strings.Builder
	b.WriteString(introduction)
	verdicts := map[string]int{}
	b.WriteString("\n## Goals\n\n| data | | measured | goal | |\n|---|---|---:|---:|---|\n")
	for _, o := range all {
		for _, t := range o.targets() {
			verdicts[t.verdict]++
			figure := t.bound.Show(t.figure)
			if math.IsNaN(t.figure) {
				figure = "-"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", o.Name, t.what, figure, t.bound, t.verdict)
		}
	}
	for _, o := range all {
		o.section(&b)
	}
	b.WriteString("\n" + harness.Details)
	for _, o := range all {
		o.byAttack(&b)
	}
	return verdicts, harness.WritePage(page, []byte(b.String()))
}

// section writes the page's section of a data set.
func (o *outcome) section(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%d normal connections, %d attacks; %d columns, which are %d elements of a vector. ", o.Name, o.Rows, len(o.Label), o.Columns, o.Elements)
	if o.Shap != "" {
		fmt.Fprintf(b, "SHAP %s on Python %s, a background of %d; its score differs from ours by %.0e at most. ", o.Shap, o.Python, o.Background, o.Score)
	}
	fmt.Fprintf(b, "Other processes took %.0f%% of the processors while our rate was measured. \"Less\" is the loss of precision at 3, as the mean over the attacks with its standard error.\n\n", 100*o.Others)
	b.WriteString("| | precision at 1 | precision at 3 | less | scores asked for | time of an event |\n|---|---:|---:|---:|---:|---:|\n")
	for k, m := range o.Methods {
		_, one := o.precisions(m, 1)
		_, three := o.precisions(m, 3)
		less := ""
		if k > 0 {
			mean, deviation := o.ahead(m, 3)
			less = fmt.Sprintf("%.3f ± %.3f", mean, deviation)
		}
		fmt.Fprintf(b, "| %s | %.3f | %.3f | %s | %.0f | %s |\n", m.Name, one, three, less, m.Asked, span(m.Seconds))
	}
	fmt.Fprintf(b, "\n%d events are explained at %.0f/s, by their first %d columns each, and placed and explained at %.0f/s. The shares of all columns sum to 1 within %.1e.\n",
		o.Many, o.Rate, reasonsWanted, o.Whole, o.Sum)
}

// byAttack is the table of each attack's columns.
func (o *outcome) byAttack(b *strings.Builder) {
	fmt.Fprintf(b, "## %s, attack by attack\n\nPrecision at 3, and the column that comes first most often:\n\n| attack | what it does |", o.Name)
	for _, m := range o.Methods {
		fmt.Fprintf(b, " %s |", m.Name)
	}
	b.WriteString(" first |\n|---|---|" + strings.Repeat("---:|", len(o.Methods)) + "---|\n")
	each := make([][]float64, len(o.Methods))
	for k, m := range o.Methods {
		each[k], _ = o.precisions(m, 3)
	}
	for i, a := range attacks {
		if math.IsNaN(each[0][i]) {
			continue
		}
		fmt.Fprintf(b, "| %s | %s |", a.name, a.does)
		for k := range o.Methods {
			fmt.Fprintf(b, " %.2f |", each[k][i])
		}
		fmt.Fprintf(b, " %s |\n", o.first(a.name))
	}
	b.WriteString("\n")
}

// first returns the column that our method ranks first most often for an attack's events.
func (o *outcome) first(label string) string {
	count, best := map[string]int{}, ""
	for i, l := range o.Label {
		if l == label && len(o.Methods[0].Columns[i]) > 0 {
			count[o.Methods[0].Columns[i][0]]++
		}
	}
	for c, n := range count {
		if best == "" || n > count[best] || n == count[best] && cmp.Less(c, best) {
			best = c
		}
	}
	return best
}

// span formats a time for people.
func span(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.1f µs", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", seconds*1e3)
	}
	return fmt.Sprintf("%.1f s", seconds)
}
