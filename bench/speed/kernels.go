package main

import (
	"context"
	"fmt"
	"time"

	"unfold/internal/simd"
)

// copying is the bandwidth that kernels which read memory are compared with.
const copying = "memory, read and written by copy"

func kernelsRow() row {
	return row{
		key: "kernels", title: "Kernels",
		about: `Rates of ` + "`go test -bench`" + ` for the kernels under internal/simd on one core. Peak is a loop of fused multiply-adds in registers; Scan is the kernel of the exact
neighbour search. Hamming's peak is a loop of counts of ones; Within is the kernel of the search among bits, here of rows of 13 words. The last
figure is the bandwidth of copying 256 MB, read and written bytes together.`,
		targets: []target{
			{what: "search kernel, of the peak of fused multiply-adds", value: percent(ratio(own, scanName(), own, peakName())),
				bound: 70, above: true, unit: "%", format: "%.0f"},
			{what: "search kernel of bits, of the peak of counts of ones", value: percent(ratio(own, withinName(), own, onesName)),
				bound: 50, above: true, unit: "%", format: "%.0f"},
		},
		measure: measureKernels,
	}
}

// Names of the benchmarks from which the target is computed.
func scanName() string { return "tile Scan/" + simd.Best().String() }

func peakName() string { return "tile Peak/" + simd.Best().String() }

func withinName() string { return "hamming Within/13/" + simd.Best().String() }

const onesName = "hamming Peak"

func percent(f func(*record) (float64, bool)) func(*record) (float64, bool) {
	return func(r *record) (float64, bool) {
		v, ok := f(r)
		return 100 * v, ok
	}
}

func measureKernels(ctx context.Context, b *bench, r *record) error {
	out, err := b.benchmarks(ctx, rounds, ".", "./internal/simd/...")
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
	if _, ok := r.best(own, onesName); !ok {
		r.miss("the peak of counts of ones, since this processor cannot count ones of 512 bits")
	}
	from, to := make([]byte, 128<<20), make([]byte, 128<<20)
	copy(to, from) // touched once, because the system provides memory at the first access
	for range rounds {
		clock := time.Now()
		copy(to, from)
		r.add(own, copying, gbytes, 2*float64(len(from))/time.Since(clock).Seconds()/1e9)
	}
	return nil
}

// parseBench reads the rates in the output of go test -bench: GFLOP/s if present, else GB/s.
func parseBench(out string) (*record, error) {
	all, err := readBenchmarks(out)
	if err != nil {
		return nil, err
	}
	r := new(record)
	for _, m := range all {
		if v, ok := m.metrics["GFLOP/s"]; ok {
			r.add(own, m.name, gflops, v)
		} else if v, ok := m.metrics["MB/s"]; ok {
			r.add(own, m.name, gbytes, v/1e3)
		}
	}
	if len(r.Series) == 0 {
		return nil, fmt.Errorf("go test -bench printed no rate: %q", out)
	}
	return r, nil
}
