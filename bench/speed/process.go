package main

import (
	"context"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
)

// usage is the time and memory of a process.
type usage = harness.Usage

// process runs a program with the number of threads of all programs and returns its output and
// cost.
func (b *bench) process(ctx context.Context, name string, args ...string) (string, usage, error) {
	return harness.Process(ctx, b.file("usage.json"), threadVariables(b.threads), name, args...)
}

// threadVariables limit a program to n threads.
func threadVariables(n int) (out []string) {
	for _, name := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"} {
		out = append(out, name+"="+strconv.Itoa(n))
	}
	return out
}

// Figures of a process.
const (
	wall = "wall"
	cpu  = "CPU"
	rss  = "peak memory"
)

// addUsage records the cost of one run of a process.
func (r *record) addUsage(who string, u usage) {
	r.add(who, wall, seconds, u.Wall)
	r.add(who, cpu, seconds, u.CPU)
	if u.Peak > 0 {
		r.add(who, rss, inBytes, u.Peak)
	}
}

// addWall records the time and memory of one run of the program, whose figures name names.
func (r *record) addWall(name func(what string) string, u usage) {
	r.add(own, name(wall), seconds, u.Wall)
	if u.Peak > 0 {
		r.add(own, name(rss), inBytes, u.Peak)
	}
}

// ownVersion returns the first line of `unfold version`.
func (b *bench) ownVersion(ctx context.Context) (string, error) {
	out, _, err := b.process(ctx, b.unfold, "version")
	first, _, _ := strings.Cut(out, "\n")
	return strings.TrimPrefix(first, "unfold "), err
}
