package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"unfold/bench/internal/harness"
)

const introduction = `# Drift

Package models/drift compares a window of the newest events with a sample of reference rows, by counting edges of nearest neighbours and of
a spanning tree ([equations.md](reference/equations.md), D1 to D5). Here it is compared with the maximum mean discrepancy (MMD), with a Gaussian kernel of
the median distance, and with a domain classifier: logistic regression, judged by the area under its ROC curve on unseen rows (both in
` + "`bench/drift`" + `). ` + "`make drift`" + ` writes this page; every figure is measured.

Streams are drawn from a data set without repetition; the reference has rows of the same distribution. Then the stream changes, at once or growing over %d events. Every column moves up or down by a share of its standard deviation, pairs of columns are rotated, a new class appears, or the spread about the mean shrinks.

`

// statistics are the statistics that models/drift could use alone. The page's table of details has
// their delays.
var statistics = []string{"neighbours alone", "tree alone", "neighbours and tree"}

// write writes the page and returns the number of goals by verdict.
func (b *bench) write(page string, all []*result) (map[string]int, error) {
	s := b.sizes
	var out strings.Builder
	fmt.Fprintf(&out, introduction, ramp)
	fmt.Fprintf(&out, "A window has %d events, the reference %d rows, and there is a test every %d events. The classifier is fitted again for each test, every %d events.\n",
		s.Window, s.Reference, s.Step, s.Coarse)
	verdicts := map[string]int{}
	fmt.Fprintf(&out, "\n## Goals\n\nThe goal is one false alarm in %d events, with two standard deviations of the expected number of alarms. A stream counts until its first alarm.\n\n|", s.FalseAlarm)
	out.WriteString(" data | | measured | goal | |\n|---|---|---:|---:|---|\n")
	for _, r := range all {
		bound := harness.Bound{Value: 1 + 2/math.Sqrt(r.Events/float64(s.FalseAlarm)), Format: "%.2f"}
		rate := r.Alarms * float64(s.FalseAlarm) / r.Events
		verdict := bound.Verdict(rate)
		if b.small {
			verdict = harness.ToyData
		}
		verdicts[verdict]++
		fmt.Fprintf(&out, "| %s | false alarms in %d events, %.0f in %.0f | %s | %s | %s |\n", r.Name, s.FalseAlarm, r.Alarms, r.Events, bound.Show(rate), bound, verdict)
	}
	b.explainDelays(&out)
	delayTables(&out, all, func(w watched) bool { return !slices.Contains(statistics, w.Method) })
	out.WriteString("\n" + harness.Details + "## Delays by statistic\n\n" +
		"\"neighbours alone\" and \"tree alone\" are Schilling's and Friedman and Rafsky's statistics without the degree.\n")
	delayTables(&out, all, func(w watched) bool { return w.Method == "models/drift" || slices.Contains(statistics, w.Method) })
	out.WriteString("\n")
	b.lookTables(&out, all)
	return verdicts, harness.WritePage(page, []byte(out.String()))
}

// explainDelays explains the tables of detection delays.
func (b *bench) explainDelays(out *strings.Builder) {
	s := b.sizes
	fmt.Fprintf(out, "\n## How soon a change is found\n\nThe number of events from the change to the alarm, medians of %d streams. A dash means that most of them end without an alarm, %d "+
		"events after the change. models/drift uses its own bound. For the others, %d streams without a change, %d events in all, cross the bound once in %d events. These are about %d crossings, so the bound "+
		"is rough. Time is processor time per event; for models/drift it includes all its statistics.\n",
		b.seeds, s.After, s.Null, s.Null*s.NullEvents, s.FalseAlarm, s.Null*s.NullEvents/s.FalseAlarm)
}

// delayTables writes the tables of detection delays, with the methods that are listed.
func delayTables(out *strings.Builder, all []*result, listed func(w watched) bool) {
	for _, r := range all {
		fmt.Fprintf(out, "\n### %s\n\n%d columns; the new class is %s.\n\n| |", r.Name, r.Dim, r.Late)
		for _, c := range changes {
			fmt.Fprintf(out, " %s |", c.Name)
		}
		out.WriteString(" time |\n|---|" + strings.Repeat("---:|", len(changes)+1) + "\n")
		for _, w := range r.Streams {
			if !listed(w) {
				continue
			}
			fmt.Fprintf(out, "| %s |", w.Method)
			for _, d := range w.Delay {
				if d == never {
					out.WriteString(" - |")
				} else {
					fmt.Fprintf(out, " %.0f |", d)
				}
			}
			fmt.Fprintf(out, " %.0f µs |\n", w.Seconds*1e6)
		}
	}
}

// lookTables writes the tables of tests of single windows.
func (b *bench) lookTables(out *strings.Builder, all []*result) {
	s := b.sizes
	fmt.Fprintf(out, "## One look\n\nThe share of windows for which a test at the level %.2f finds a difference: of %d windows without a change (expected: about the level), and of %d with each change "+
		"at half its size. There are %d permutations; without them the probability is the normal distribution's. The standard error is %.3f for a share of 0.05 without a change, and %.2f for 0.5 with one.\n",
		s.Level, s.Looks, s.Changed, s.Rounds, math.Sqrt(.05*.95/float64(s.Looks)), math.Sqrt(.25/float64(s.Changed)))
	for _, r := range all {
		fmt.Fprintf(out, "\n### %s, one look\n\n| | no change |", r.Name)
		for _, c := range atOnce() {
			fmt.Fprintf(out, " %s, half |", c.Name)
		}
		out.WriteString("\n|---|---:|" + strings.Repeat("---:|", len(atOnce())) + "\n")
		for _, l := range r.Looks {
			fmt.Fprintf(out, "| %s | %.2f |", l.Test, l.Size)
			for _, p := range l.Power {
				fmt.Fprintf(out, " %.2f |", p)
			}
			out.WriteString("\n")
		}
	}
}
