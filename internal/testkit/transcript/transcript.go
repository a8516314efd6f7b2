// Package transcript compares the output of a program with the expected output, in which figures
// may differ between machines.
//
// Texts are compared by lines. Lines that begin with "$ " are commands. After a line such as
//
//	# Figures within 2 %.
//
// decimal figures (with a point) in the output of the next command may differ by 2 % of themselves
// or of 1, whichever is more. Columns may then have another width. Predicted memory ("about 12.3
// MiB", "--memory 13MiB") depends on the number of processors, and may always differ by a factor of
// 3. Everything else must be equal.
package transcript

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	tolerance = regexp.MustCompile(`^# Figures within ([\d.]+) %\.$`)
	memory    = regexp.MustCompile(`about (\d[\d.]*) ([KMGT]?i?)B\b|--memory (\d+)([KMGT]?i?)B\b`)
	decimal   = regexp.MustCompile(`-?\b\d[\d,]*\.\d+\b`)
	blanks    = regexp.MustCompile(` +`)
)

// memoryFactor is the largest ratio of predicted amounts of memory.
const memoryFactor = 3

// Difference describes the first line in which got differs from want, or returns "".
func Difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	within, next := 0., 0.
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) {
			return fmt.Sprintf("there are %d lines, expected %d", len(g), len(w))
		}
		if m := tolerance.FindStringSubmatch(w[i]); m != nil {
			percent, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return fmt.Sprintf("line %d: %v", i+1, err)
			}
			next = percent / 100
		} else if strings.HasPrefix(w[i], "$ ") {
			within, next = next, 0
		}
		if w[i] != g[i] && !alike(w[i], g[i], within) {
			return fmt.Sprintf("line %d is\n%s\nexpected\n%s", i+1, g[i], w[i])
		}
	}
	return ""
}

// alike compares different lines: first their predictions of memory, then their decimal figures.
func alike(want, got string, within float64) bool {
	pattern := memory
	if within > 0 {
		pattern = regexp.MustCompile(memory.String() + "|" + decimal.String())
	}
	w, g := pattern.FindAllString(want, -1), pattern.FindAllString(got, -1)
	rest := func(s string) string { return blanks.ReplaceAllString(pattern.ReplaceAllString(s, "#"), " ") }
	if len(w) == 0 || len(w) != len(g) || rest(want) != rest(got) {
		return false
	}
	for i := range w {
		if w[i] != g[i] && !close(w[i], g[i], within) {
			return false
		}
	}
	return true
}

// close compares two figures of the same kind.
func close(want, got string, within float64) bool {
	if memory.MatchString(want) {
		a, b := bytes(want), bytes(got)
		return a <= memoryFactor*b && b <= memoryFactor*a
	}
	a, b := number(want), number(got)
	return math.Abs(a-b) <= within*max(1, math.Abs(a))
}

func number(s string) float64 {
	v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// bytes returns an amount of memory, NaN for none.
func bytes(s string) float64 {
	m := memory.FindStringSubmatch(s)
	if m == nil {
		return math.NaN()
	}
	power := map[string]float64{"": 0, "Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4}[m[2]+m[4]]
	return number(m[1]+m[3]) * math.Pow(1024, power)
}
