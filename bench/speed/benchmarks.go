package main

import (
	"bufio"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
)

// benchmarks runs Go benchmarks of the product's packages, count times or once with -small, and
// returns the output of go test.
func (b *bench) benchmarks(ctx context.Context, count int, pattern string, packages ...string) (string, error) {
	product, err := harness.Product(ctx)
	if err != nil {
		return "", err
	}
	span := "300ms"
	if b.small {
		count, span = 1, "1x"
	}
	args := []string{"test", "-C", product, "-run", "^$", "-bench", pattern, "-benchtime", span, "-count", strconv.Itoa(count)}
	out, _, err := b.process(ctx, "go", append(args, packages...)...)
	return out, err
}

// benchmark is the output of go test for one run of a benchmark, by package and name. Metrics are
// by unit.
type benchmark struct {
	name    string
	metrics map[string]float64
}

var benchLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// readBenchmarks parses the output of go test -bench.
func readBenchmarks(out string) (all []benchmark, err error) {
	pkg := ""
	lines := bufio.NewScanner(strings.NewReader(out))
	for lines.Scan() {
		line := lines.Text()
		if path, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = path[strings.LastIndexByte(path, '/')+1:]
			continue
		}
		m := benchLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		one := benchmark{pkg + " " + m[1], map[string]float64{}}
		metrics := strings.Fields(m[2])
		for i := 0; i+1 < len(metrics); i += 2 {
			v, err := strconv.ParseFloat(metrics[i], 64)
			if err != nil {
				return nil, fmt.Errorf("go test -bench printed %q: %w", line, err)
			}
			one.metrics[metrics[i+1]] = v
		}
		all = append(all, one)
	}
	return all, lines.Err()
}
