package main

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// mostAgain is the largest number of failed tests that are run once more. More failures than this
// have a common cause, which a second run would not remove.
const mostAgain = 5

// again runs the failed tests once more, one package at a time. Tests with a browser, a broker or
// a deadline can fail because everything else runs beside them. A test that passes alone is listed
// with its first failure, but does not fail the run.
func (r *runner) again(ctx context.Context) error {
	failed := r.results.failedTests()
	n := 0
	for _, tests := range failed {
		n += len(tests)
	}
	if n == 0 || n > mostAgain {
		return nil
	}
	for _, pkg := range slices.Sorted(maps.Keys(failed)) {
		if ctx.Err() != nil {
			return nil
		}
		fmt.Fprintf(r.out, "\nonce more, alone: %s %s\n", pkg, strings.Join(failed[pkg], " "))
		second := &runner{flags: append(slices.Clone(r.flags), "-count=1", "-run="+pattern(failed[pkg])), env: r.env, all: r.all, out: r.out, results: newResults()}
		if err := second.module(ctx, moduleOf(pkg), []string{pkg}); err != nil {
			return err
		}
		r.results.forgive(pkg, failed[pkg], second.results)
	}
	return nil
}

// pattern matches these tests and no others.
func pattern(tests []string) string {
	quoted := make([]string, len(tests))
	for i, test := range tests {
		quoted[i] = regexp.QuoteMeta(test)
	}
	return "^(" + strings.Join(quoted, "|") + ")$"
}

// failedTests returns the names of failed tests by package, without subtests. It is empty if a
// package did not build or ended outside of a test.
func (r *results) failedTests() map[string][]string {
	failed := map[string][]string{}
	for _, f := range r.failures {
		pkg, test, isTest := testFailure(f)
		if !isTest {
			return nil
		}
		if !slices.Contains(failed[pkg], test) {
			failed[pkg] = append(failed[pkg], test)
		}
	}
	return failed
}

// testFailure splits a failure into the package and the test at the top. It returns false for
// failures outside of a test.
func testFailure(f string) (pkg, test string, ok bool) {
	pkg, test, ok = strings.Cut(f, " ")
	if !ok || strings.Contains(f, ", ") {
		return "", "", false
	}
	test, _, _ = strings.Cut(test, "/")
	return pkg, test, true
}

// forgive moves the failures of tests that passed in a second run to the doubtful ones.
func (r *results) forgive(pkg string, tests []string, second *results) {
	failed := second.failedTests()
	if second.skipped > 0 || len(second.failures) > 0 && len(failed) == 0 {
		return
	}
	for _, test := range tests {
		_, ran := second.times[pkg+" "+test]
		if !ran || slices.Contains(failed[pkg], test) {
			continue
		}
		r.failures = slices.DeleteFunc(r.failures, func(f string) bool {
			p, name, ok := testFailure(f)
			return ok && p == pkg && name == test
		})
		r.doubtful = append(r.doubtful, pkg+" "+test)
		r.passed++
	}
}
