package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"unfold/bench/internal/harness"
)

// page returns the page and the number of targets by verdict.
func (b *bench) page(m machine) ([]byte, map[string]int) {
	var w bytes.Buffer
	fmt.Fprintf(&w, `# Benchmarks

Time and memory of the program, compared with other programs. `+"`make bench`"+` (bench/speed) measures all on one machine, one after
the other, and writes this page. %s

Machine of the last run: %s.

Each figure is the best of up to %d rounds (no further one after %.0f minutes); the spread is the worst round's excess over the best.
Ratios are of best figures. No times on arm64 are known: its kernels were tested in an emulator only.

`, b.ofRuns(), m, rounds, patience.Minutes())
	if b.small {
		w.WriteString("**Toy data (-small): none of these figures means anything.**\n\n")
	}
	lines, verdicts := b.targetLines()
	all := 0
	for _, n := range verdicts {
		all += n
	}
	fmt.Fprintf(&w, "%d of %d targets are met, %d missed", verdicts[harness.Met], all, verdicts[harness.Missed])
	if n := verdicts[harness.NotMeasured]; n > 0 {
		fmt.Fprintf(&w, ", **%d not measured**", n)
	}
	w.WriteString(". Those that are not met:\n\n" + targetHead)
	for _, line := range lines {
		if !strings.HasSuffix(line, "| "+harness.Met+" |\n") {
			w.WriteString(line)
		}
	}
	w.WriteString("\n")
	for _, detail := range []bool{false, true} {
		if detail {
			w.WriteString(harness.Details + "## Targets\n\n" + targetHead + strings.Join(lines, "") + "\n")
		}
		for _, x := range rows() {
			switch {
			case slices.Contains(shown, x.key) == detail:
			case b.records[x.key] == nil && b.before.holds(x):
				w.WriteString(b.before.sections[x.title])
			default:
				writeRow(&w, x, b.records[x.key])
			}
		}
	}
	b.writeVersions(&w)
	return w.Bytes(), verdicts
}

// shown are the rows on the page itself; the others are among its tables.
var shown = []string{"whole", "place"}

// ofRuns describes the runs behind the figures: their number, or the time of a single run.
func (b *bench) ofRuns() string {
	runs := map[string]bool{}
	took := 0.
	var now []string
	kept := false
	for _, x := range rows() {
		if r := b.records[x.key]; r != nil {
			runs[r.Run] = true
			took += r.Took
			now = append(now, x.title)
		} else {
			kept = kept || b.before.holds(x)
		}
	}
	if kept {
		return fmt.Sprintf("**Of the last run are: %s.** All else is of earlier ones: each section has its date and vector instructions.",
			strings.Join(now, "; "))
	}
	if len(runs) <= 1 {
		return fmt.Sprintf("All figures are of one run, which took %.0f minutes.", took/60)
	}
	return fmt.Sprintf("**The figures are of %d runs; what is published should be of one.**", len(runs))
}

// targetHead begins a table of targets.
const targetHead = "| what | target | measured | |\n|---|---|---|---|\n"

// targetLines returns a line for each target, and the number of targets with each verdict.
func (b *bench) targetLines() (lines []string, verdicts map[string]int) {
	verdicts = map[string]int{}
	for _, x := range rows() {
		r := b.records[x.key]
		for _, y := range x.targets {
			if name := x.title + ": " + y.what; r == nil && b.before.holds(x) && b.before.targets[name] != "" {
				verdicts[b.before.verdict(name)]++
				lines = append(lines, b.before.targets[name])
				continue
			}
			verdict := y.verdict(r, b.small)
			verdicts[verdict]++
			lines = append(lines, fmt.Sprintf("| %s: %s | %s | %s | %s |\n", x.title, y.what, y.limit().String(), y.measured(r), verdict))
		}
	}
	return lines, verdicts
}

const notMeasured = "Not measured.\n\n"

// writeRow writes the results of a row.
func writeRow(w *bytes.Buffer, x row, r *record) {
	fmt.Fprintf(w, "## %s\n\n%s\n\n", x.title, x.about)
	if r == nil {
		w.WriteString(notMeasured)
		return
	}
	for _, text := range r.Missing {
		fmt.Fprintf(w, "**Missing: %s.**\n\n", text)
	}
	if len(r.Series) > 0 {
		w.WriteString("| | | best | spread | rounds |\n|---|---|---|---|---|\n")
		for _, s := range r.Series {
			spread := ""
			if len(s.Samples) > 1 {
				spread = fmt.Sprintf("%.0f%%", 100*s.spread())
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %d |\n", s.Who, s.What, quantity(s.best(), s.Unit), spread, len(s.Samples))
		}
		w.WriteString("\n")
	}
	for _, text := range r.Notes {
		fmt.Fprintf(w, "- %s\n", text)
	}
	if len(r.Notes) > 0 {
		w.WriteString("\n")
	}
	if r.When != "" {
		fmt.Fprintf(w, "Measured %s.\n\n", r.When)
	}
}

// writeVersions writes the versions of all measured programs.
func (b *bench) writeVersions(w *bytes.Buffer) {
	all := map[string]map[string]bool{}
	for name, version := range b.before.versions {
		all[name] = map[string]bool{}
		for one := range strings.SplitSeq(version, ", ") {
			all[name][one] = true
		}
	}
	for _, r := range b.records {
		for name, version := range r.Versions {
			if all[name] == nil {
				all[name] = map[string]bool{}
			}
			all[name][version] = true
		}
	}
	w.WriteString("## Versions\n\n| | |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(w, "| %s | %s |\n", name, strings.Join(slices.Sorted(maps.Keys(all[name])), ", "))
	}
	w.WriteString("\nA part of it: `make bench ARGS=\"-only knn,place\"`; its other flags: `make bench ARGS=-h`.\n")
}

// quantity formats a figure with its unit, scaled for readers.
func quantity(v float64, unit string) string {
	scales := map[string][]struct {
		least, by float64
		unit      string
	}{
		seconds: {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "µs"}, {0, 1e9, "ns"}},
		inBytes: {{1e9, 1e-9, "GB"}, {1e6, 1e-6, "MB"}, {0, 1e-3, "kB"}},
		perSec:  {{1e6, 1e-6, "million/s"}, {1e3, 1e-3, "thousand/s"}, {0, 1, "/s"}},
	}
	for _, s := range scales[unit] {
		if v >= s.least {
			return digits3(v*s.by) + " " + s.unit
		}
	}
	if unit == plain {
		return fmt.Sprintf("%.4g", v)
	}
	return digits3(v) + " " + unit
}

// digits3 formats three digits, or all before the point.
func digits3(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
