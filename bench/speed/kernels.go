package main

import (
	"bufio"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"unfold/bench/internal/harness"
	"unfold/internal/simd"
)

// copying is the bandwidth that kernels which read memory are compared with.
const copying = "memory, read and written by copy"

func kernelsRow() row {
	return row{
		key: "kernels", title: "Kernels",
		about: `What ` + "`go test -bench`" + ` says of the kernels under internal/simd on one core, those that name a rate. Peak is a loop of
nothing but fused multiply-adds in registers; Scan is the kernel of the exact neighbour search. The last figure is the
bandwidth of copying 256 MB, read and written bytes together.`,
		targets: []target{
			{what: "search kernel, of the peak of fused multiply-adds", value: percent(ratio(own, scanName(), own, peakName())),
				bound: 70, above: true, unit: "%", format: "%.0f"},
		},
		measure: measureKernels,
	}
}

// Names of the benchmarks that the figure to reach is made of.
func scanName() string { return "tile Scan/" + simd.Best().String() }

func peakName() string { return "tile Peak/" + simd.Best().String() }

func percent(f func(*record) (float64, bool)) func(*record) (float64, bool) {
	return func(r *record) (float64, bool) {
		v, ok := f(r)
		return 100 * v, ok
	}
}

func measureKernels(ctx context.Context, b *bench, r *record) error {
	product, err := harness.Product(ctx)
	if err != nil {
		return err
	}
	args := []string{"test", "-C", product, "-run", "^$", "-bench", ".", "-benchtime", "300ms", "-count", strconv.Itoa(rounds), "./internal/simd/..."}
	if b.small {
		args = []string{"test", "-C", product, "-run", "^$", "-bench", ".", "-benchtime", "1x", "./internal/simd/..."}
	}
	out, _, err := b.process(ctx, "go", args...)
	if err != nil {
		return err
	}
	measured, err := parseBench(out)
	if err != nil {
		return err
	}
	r.merge(measured)
	if _, ok := r.best(own, peakName()); !ok {
		r.miss("the peak of fused multiply-adds, which has no benchmark for these vector instructions")
	}
	from, to := make([]byte, 128<<20), make([]byte, 128<<20)
	copy(to, from) // the system hands out memory when it is first touched
	for range rounds {
		clock := time.Now()
		copy(to, from)
		r.add(own, copying, gbytes, 2*float64(len(from))/time.Since(clock).Seconds()/1e9)
	}
	return nil
}

var benchLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// parseBench reads the rates that go test -bench prints, named by package and
// benchmark: GFLOP/s where there are any, else GB/s.
func parseBench(out string) (*record, error) {
	r := new(record)
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
		rates := map[string]float64{}
		metrics := strings.Fields(m[2])
		for i := 0; i+1 < len(metrics); i += 2 {
			v, err := strconv.ParseFloat(metrics[i], 64)
			if err != nil {
				return nil, fmt.Errorf("go test -bench printed %q: %w", line, err)
			}
			rates[metrics[i+1]] = v
		}
		name := pkg + " " + m[1]
		if v, ok := rates["GFLOP/s"]; ok {
			r.add(own, name, gflops, v)
		} else if v, ok := rates["MB/s"]; ok {
			r.add(own, name, gbytes, v/1e3)
		}
	}
	if len(r.Series) == 0 {
		return nil, fmt.Errorf("go test -bench printed no rate: %q", out)
	}
	return r, lines.Err()
}
