package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"unfold/internal/testkit/tier"
)

// summary is the report at the end of a run.
type summary struct {
	*results
	took   time.Duration
	budget []string // packages over their budget, in words
	listed int      // number of slowest packages to list
}

func (r *results) summary(took time.Duration, listed int) *summary {
	// Tests without an end were stopped with their package.
	for _, name := range r.order {
		if p := r.packages[name]; !p.ended && !r.hasFailure(name) {
			r.failures = append(r.failures, name+", which did not end")
		}
	}
	return &summary{results: r, took: took, listed: listed}
}

func (s *summary) bad() bool { return s.failed() || len(s.budget) > 0 }

func (s *summary) write(out io.Writer) {
	list := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(out, "\n%s\n    %s\n", title, strings.Join(lines, "\n    "))
		}
	}
	packages := map[string]float64{}
	for name, p := range s.packages {
		if !p.cached {
			packages[name] = p.wall
		}
	}
	list("The slowest packages:", slowest(packages, s.listed))
	list("The slowest tests:", slowest(s.times, s.listed))
	list("Left out; make test-all runs:", s.skips(tier.LeftOut))
	list("Not possible here:", s.skips(tier.Unavailable))
	list("Skipped:", s.skips(""))
	list("Over their budget (internal/tools/tests/budget.txt):", s.budget)
	list("Failed at first, passed alone (the test or the code depends on load or chance):", s.doubtful)
	list("FAILED:", s.failures)
	fmt.Fprintf(out, "\nin %v\n%d passed, %d failed, %d skipped\n", s.took.Round(time.Second), s.passed, s.countFailed()+len(s.budget), s.skipped)
}

// slowest lists the n slowest that took a second or more.
func slowest(seconds map[string]float64, n int) (lines []string) {
	names := slices.SortedFunc(maps.Keys(seconds), func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds[b], seconds[a]), strings.Compare(a, b))
	})
	for _, name := range names[:min(n, len(names))] {
		if seconds[name] >= 1 {
			lines = append(lines, fmt.Sprintf("%6.1f s  %s", seconds[name], name))
		}
	}
	return lines
}

// skips returns the number of skipped tests for each reason with this prefix; "" means reasons
// without any of the tier's prefixes.
func (s *summary) skips(prefix string) []string {
	var lines []string
	for _, reason := range slices.Sorted(maps.Keys(s.reasons)) {
		rest, ok := strings.CutPrefix(reason, prefix)
		if prefix == "" {
			ok = !strings.HasPrefix(reason, tier.LeftOut) && !strings.HasPrefix(reason, tier.Unavailable)
		}
		if ok {
			lines = append(lines, fmt.Sprintf("%4d  %s", s.reasons[reason], rest))
		}
	}
	return lines
}

// countFailed counts failures, a test with failing subtests once.
func (s *summary) countFailed() (n int) {
	for _, f := range s.failures {
		_, test, _ := strings.Cut(f, " ")
		if strings.Contains(f, ", ") || !strings.Contains(test, "/") {
			n++
		}
	}
	return n
}
