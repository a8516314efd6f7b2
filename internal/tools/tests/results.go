package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// results are the outcomes of tests and packages.
type results struct {
	passed, skipped int
	failures        []string // "package Test", or "package, which does not build"
	doubtful        []string // "package Test" of those that failed at first and passed alone
	reasons         map[string]int
	packages        map[string]*packageResult
	output          map[string]*strings.Builder // of tests and packages that have not ended
	order           []string
	times           map[string]float64 // of whole tests, seconds by the clock
}

// packageResult is the outcome and cost of a package.
type packageResult struct {
	name      string
	ended     bool
	cached    bool
	wall, cpu float64 // seconds; cpu includes processes that tests started
}

func newResults() *results {
	return &results{reasons: map[string]int{}, packages: map[string]*packageResult{}, output: map[string]*strings.Builder{}, times: map[string]float64{}}
}

func (r *results) failed() bool { return len(r.failures) > 0 }

// take processes an event. It prints a line for each package, and the output of failing tests.
func (r *results) take(e event, out io.Writer) {
	switch e.Action {
	case "build-output":
		r.keep("build "+e.ImportPath, e.Output)
		return
	case "build-fail":
		r.failures = append(r.failures, e.ImportPath+", which does not build")
		fmt.Fprint(out, r.release("build "+e.ImportPath))
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &packageResult{name: e.Package}
		r.packages[e.Package] = p
		r.order = append(r.order, e.Package)
	}
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		if cost, ok := parseCost(e.Output); ok {
			p.cpu = cost
			return
		}
		if e.Test == "" && strings.HasPrefix(e.Output, "ok ") && strings.Contains(e.Output, "(cached)") {
			p.cached = true
		}
		r.keep(key, e.Output)
	case "pass", "skip", "fail":
		text := r.release(key)
		if e.Test == "" {
			p.ended, p.wall = true, e.Elapsed
			r.packageEnd(e, p, text, out)
			return
		}
		r.testEnd(e, text, out)
	}
}

// testEnd counts a test, and subtests that were skipped or failed.
func (r *results) testEnd(e event, text string, out io.Writer) {
	top := !strings.Contains(e.Test, "/")
	if top {
		r.times[e.Package+" "+e.Test] = e.Elapsed
	}
	switch e.Action {
	case "pass":
		if top {
			r.passed++
		}
	case "skip":
		if top {
			r.skipped++
		}
		r.reasons[skipReason(text)]++
	case "fail":
		r.failures = append(r.failures, e.Package+" "+e.Test)
		fmt.Fprint(out, text)
	}
}

// packageEnd prints the package's line, and its output if it failed outside of a test: a panic, a
// time-out, a process that was left running.
func (r *results) packageEnd(e event, p *packageResult, text string, out io.Writer) {
	switch {
	case e.Action == "fail":
		if !r.hasFailure(e.Package) {
			r.failures = append(r.failures, e.Package+", outside of a test")
			for key, b := range r.output { // of tests that were running
				if strings.HasPrefix(key, e.Package+" ") {
					fmt.Fprint(out, b)
					delete(r.output, key)
				}
			}
		}
		fmt.Fprint(out, text)
	case p.cached:
		fmt.Fprintf(out, "ok    %-48s (cached)\n", p.name)
	case e.Action == "pass":
		fmt.Fprintf(out, "ok    %-48s %6.1f s, processors %6.1f s\n", p.name, p.wall, p.cpu)
	}
}

func (r *results) hasFailure(pkg string) bool {
	for _, f := range r.failures {
		if strings.HasPrefix(f, pkg+" ") || strings.HasPrefix(f, pkg+",") || strings.HasPrefix(f, pkg+".test,") {
			return true
		}
	}
	return false
}

func (r *results) keep(key, text string) {
	b := r.output[key]
	if b == nil {
		b = new(strings.Builder)
		r.output[key] = b
	}
	b.WriteString(text)
}

func (r *results) release(key string) string {
	b := r.output[key]
	if b == nil {
		return ""
	}
	delete(r.output, key)
	return b.String()
}

// where matches the source position that t.Skip prints before its reason.
var where = regexp.MustCompile(`^\s+\S+\.go:\d+: `)

// skipReason returns the reason in the output of a test that was skipped.
func skipReason(text string) string {
	lines := strings.Split(text, "\n")
	for _, line := range slices.Backward(lines) { // other log lines come before the reason
		if at := where.FindString(line); at != "" {
			return strings.TrimSpace(line[len(at):])
		}
	}
	return "without a reason"
}
