package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/ingest"
)

const text = `# Metrics, measured

Written by ` + "`make metrics`" + ` (bench/metrics) from %s; no figure is typed by hand. [data.md](data.md#distances) explains what each metric is for, and [decisions/metrics.md](decisions/metrics.md) how it is computed.

Neighbours: the %d nearest others of every row, by the program's exact search. Its time is processor time of one thread, the least of %d
rounds in turns; ratios are to the Euclidean search of the same set. Recall is measured on %d lists (or all rows), against all distances by scipy, numpy and scikit-learn in double precision: the share of entries at least as near as the last true neighbour. Scipy's time is for all distances from one row, and for finding the nearest.

Maps: ` + "`unfold fit`" + ` and umap-learn by their defaults with the metric, on %d threads. Times are processor times: for unfold the whole process, from the file to the written map; for umap-learn the call alone, after compilation. R_NX and trustworthiness of 12 neighbours use the metric of the map, and %d points; 1-NN and 9-NN are the accuracy of labels.

Machine: %s. %s.

%s`

// targetHead begins a table of targets.
const targetHead = "| what | target | measured | |\n|---|---|---|---|\n"

// target is a figure to reach.
type target struct {
	what  string
	bound harness.Bound
	value float64
}

// targets returns the recall of every search, and the time of the cosine distance.
func (r *results) targets() (out []target) {
	for _, s := range sets {
		for _, l := range r.Sets[s.key] {
			out = append(out, target{s.title + ": " + string(l.Metric) + ", recall", harness.Bound{Value: 1, Above: true, Format: "%.4f"}, l.Recall})
			if l.Metric == ingest.Cosine {
				out = append(out, target{s.title + ": cosine, time of euclidean's", harness.Bound{Value: 1.05, Format: "%.2f"}, r.ratio(s, l)})
			}
		}
	}
	return out
}

func (r *results) verdicts() map[string]int {
	out := map[string]int{}
	for _, t := range r.targets() {
		out[t.bound.Verdict(t.value)]++
	}
	return out
}

// ratio returns the search's time relative to the Euclidean one on the same set.
func (r *results) ratio(s set, l line) float64 { return l.Search / r.Sets[s.key][0].Search }

// write writes the page.
func (r *results) write(path string) error {
	return harness.WritePage(path, []byte(r.page()))
}

func (r *results) page() string {
	var targets, unmet, versions strings.Builder
	for _, t := range r.targets() {
		line := fmt.Sprintf("| %s | %s | %s | %s |\n", t.what, t.bound, t.bound.Show(t.value), t.bound.Verdict(t.value))
		targets.WriteString(line)
		if t.bound.Verdict(t.value) != harness.Met {
			unmet.WriteString(line)
		}
	}
	summary := fmt.Sprintf("%d of %d targets are met.\n", r.verdicts()[harness.Met], len(r.targets()))
	if unmet.Len() > 0 {
		summary += "Those that are not:\n\n" + targetHead + unmet.String()
	}
	for _, name := range slices.Sorted(maps.Keys(r.Versions)) {
		fmt.Fprintf(&versions, ", %s %s", name, r.Versions[name])
	}
	var b strings.Builder
	fmt.Fprintf(&b, text, "[its results](metrics/results.json)", neighbors, r.Rounds, sampled, r.Threads, scored, r.Machine,
		strings.TrimPrefix(versions.String(), ", "), summary)
	for _, s := range sets {
		if lines := r.Sets[s.key]; len(lines) > 0 {
			r.section(&b, s, lines)
		}
	}
	return b.String() + "\n" + harness.Details + "## Targets\n\n" + targetHead + targets.String()
}

// section writes the results of a set.
func (r *results) section(b *strings.Builder, s set, lines []line) {
	fmt.Fprintf(b, "\n## %s\n\n%d rows of %d values.\n\n", s.title, lines[0].Rows, lines[0].Cols)
	b.WriteString("| metric | recall | search | of euclidean's | a list | scipy, a list | file to rows |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, l := range lines {
		fmt.Fprintf(b, "| %s | %.4f | %.0f ms | %.2f | %.1f us | %.0f us | %.0f ms |\n", l.Metric, l.Recall, 1e3*l.Search, r.ratio(s, l),
			1e6*l.Search/float64(l.Rows), 1e6*l.Brute, 1e3*l.Read)
	}
	b.WriteString("\n| metric | map | R_NX | trustworthiness | 1-NN | 9-NN | CPU |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, l := range lines {
		for _, q := range l.Maps {
			fmt.Fprintf(b, "| %s | %s | %.3f | %.4f | %.4f | %.4f | %.1f s |\n", l.Metric, q.Program, q.RNX, q.Trust, q.One, q.Nine, q.CPU)
		}
	}
}
