package main

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
)

// budget is the number of seconds that the tests of a package may take, in the quick tier and in
// the full tier. It was measured on two quiet cores: the larger of wall-clock time and processor
// time.
type budget struct{ quick, all float64 }

// A package exceeds its budget with more than twice the processor time, or four times the
// wall-clock time. Other load increases both, the latter more. The allowances are for packages
// whose tests take little more than their start.
const (
	cpuFactor, cpuAllowance   = 2, 5
	wallFactor, wallAllowance = 4, 20
)

// unbudgeted is the budget of a package that is not in the file.
var unbudgeted = budget{1, 1}

// judge compares the packages with their budgets.
func (s *summary) judge(budgets map[string]budget, all bool) {
	for _, name := range s.order {
		p := s.packages[name]
		if !p.ended || p.cached {
			continue
		}
		b, ok := budgets[name]
		if !ok {
			b = unbudgeted
		}
		allowed := b.quick
		if all {
			allowed = max(b.quick, b.all)
		}
		if cpu := cpuFactor*allowed + cpuAllowance; p.cpu > cpu {
			s.budget = append(s.budget, fmt.Sprintf("%s: %.1f s of processor time, budget %.0f s, at most %.0f s", name, p.cpu, allowed, cpu))
		} else if wall := wallFactor*allowed + wallAllowance; p.wall > wall {
			s.budget = append(s.budget, fmt.Sprintf("%s: %.1f s by the clock, budget %.0f s, at most %.0f s", name, p.wall, allowed, wall))
		}
	}
}

func readBudgets(file string) (map[string]budget, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	budgets := map[string]budget{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var name string
		var b budget
		if _, err := fmt.Sscan(line, &name, &b.quick, &b.all); err != nil {
			return nil, fmt.Errorf("%s:%d: want a package and two numbers of seconds: %w", file, n, err)
		}
		budgets[name] = b
	}
	return budgets, nil
}

const budgetHead = `# The budgets of the packages' tests in seconds: in make test, and in make test-all. Made by
# bin/tests -count=1 -update-budget, and by bin/tests -all -count=1 -update-budget, on two quiet cores.
# A package that is not named has 1 second.
`

// update replaces budgets by the measured times and writes the file. If all packages were run, those
// that are gone lose their lines.
func (s *summary) update(file string, budgets map[string]budget, all, whole bool) error {
	if budgets == nil {
		budgets = map[string]budget{}
	}
	for name, p := range s.packages {
		if !p.ended || p.cached {
			continue
		}
		b, seconds := budgets[name], math.Ceil(max(p.wall, p.cpu))
		if all {
			b.all = seconds
		} else {
			b.quick = seconds
		}
		budgets[name] = b
	}
	var out strings.Builder
	out.WriteString(budgetHead)
	for _, name := range slices.Sorted(maps.Keys(budgets)) {
		b := budgets[name]
		if _, ran := s.packages[name]; whole && !ran || max(b.quick, b.all) <= unbudgeted.quick {
			continue // the package is gone, or needs no line
		}
		fmt.Fprintf(&out, "%-44s %4.0f %4.0f\n", name, b.quick, b.all)
	}
	return os.WriteFile(file, []byte(out.String()), 0o644)
}
