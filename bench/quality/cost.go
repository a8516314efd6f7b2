package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"unfold/bench/internal/harness"
)

// The cost of a fit of MNIST with the defaults, as a user would run it, and with an earlier build
// if there is one. Both are interleaved, because machines change their speed.
const (
	costName = "cost/" + byDefault
	costRuns = 3
	ratio    = "ratio" // of the whole process' time to the earlier build's
	memory   = "peak"  // GB; with a report, the data themselves are included
)

func (b *bench) costs(ctx context.Context, mnist *prepared) error {
	j := job{input: input{path: mnist.raw}, output: b.mapFile("cost", byDefault)}.withDefaults()
	made := b.made(methods()[0], j, mnist) + ", beside " + b.before
	_, err := b.once(costName, made, b.whenTimed(methods()[0], partCost), func(r *result) error {
		var ours, theirs []float64
		for range costRuns {
			u, err := b.process(ctx, b.unfold, j)
			if err != nil {
				return err
			}
			r.took(u.Others)
			ours, r.Figures[memory] = append(ours, u.Wall), max(r.Figures[memory], u.Peak/1e9)
			if b.before == "" {
				continue
			}
			if u, err = b.process(ctx, b.before, j); err != nil {
				return err
			}
			r.took(u.Others)
			theirs = append(theirs, u.Wall)
		}
		r.Figures[whole] = median(ours)
		if theirs != nil {
			r.Figures[ratio] = median(ours) / median(theirs)
		}
		// A report compares the map with the original data.
		u, err := b.process(ctx, b.unfold, j, "--report", j.output+".json")
		r.Figures[memory] = max(r.Figures[memory], u.Peak/1e9)
		return err
	})
	return err
}

// process fits in a separate process and returns its resource usage.
func (b *bench) process(ctx context.Context, program string, j job, more ...string) (harness.Usage, error) {
	if err := os.MkdirAll(filepath.Dir(j.output), 0o777); err != nil {
		return harness.Usage{}, err
	}
	args := slices.Concat([]string{"fit", "-q", j.path, "-o", j.output + ".unfold", "--map", j.output,
		"--threads", strconv.Itoa(b.threads)}, more)
	_, u, err := harness.Process(ctx, b.file("usage.json"), nil, program, args...)
	return u, err
}
