package main

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models/student"
	"unfold/sparse/knn"
	"unfold/sparse/solve"
)

// onThreads names a figure of some work on several threads.
func onThreads(what string, threads int) string {
	if threads == 1 {
		return what + ", 1 thread"
	}
	return fmt.Sprintf("%s, %d threads", what, threads)
}

// Work that is measured on one thread and on two.
const (
	workKNN    = "exact neighbours"
	workPass   = "one pass of learning"
	workSolve  = "a system of EM"
	workPlaces = "placing in batches"
)

func threadsRow() row {
	r := row{
		key: "threads", title: "One thread and two",
		about: `The library does the same work on one thread and on two: exact neighbours of 70,000 x 50, a pass of the default model and its linear system (with the
diagonal, until rounding stops it) for 70,000 points on a map of groups, and placing all test digits. Two cores gain less if they share units, or if
other programs use them.`,
		measure: measureThreads,
	}
	for _, what := range []string{workKNN, workPass, workSolve, workPlaces} {
		r.targets = append(r.targets, target{what: what + ", times as fast on 2 threads as on 1",
			value: ratio(own, onThreads(what, 1), own, onThreads(what, 2)), bound: 1.8, above: true, format: "%.2f"})
	}
	return r
}

func measureThreads(ctx context.Context, b *bench, r *record) error {
	d, err := b.images(ctx)
	if err != nil {
		return err
	}
	path, err := b.trained(ctx, d)
	if err != nil {
		return err
	}
	for _, threads := range []int{1, 2} {
		err := b.timed(r, onThreads(workKNN, threads), func() error {
			_, err := knn.Graph(ctx, d.z, 10, knn.Settings{Threads: threads})
			return err
		})
		if err != nil {
			return err
		}
		if err := b.passOnThreads(ctx, r, threads); err != nil {
			return err
		}
		placer, err := openPlacer(path, threads)
		if err != nil {
			return err
		}
		test := d.raw.Slice(d.first, d.raw.Rows)
		err = b.timed(r, onThreads(workPlaces, threads), func() error {
			_, err := placer.Place(ctx, test)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// passOnThreads measures a pass of learning and the solution of its system.
func (b *bench) passOnThreads(ctx context.Context, r *record, threads int) error {
	p, st := groupedMap(b.size(70_000, 3_000))
	m, err := student.NewModel(p, 2, student.ModelSettings{Single: true, Threads: threads})
	if err != nil {
		return err
	}
	a, grad := m.Assemble(st)
	if err := b.timed(r, onThreads(workPass, threads), func() error { a, grad = m.Assemble(st); return nil }); err != nil {
		return err
	}
	set := solve.Settings{Threads: threads, MaxIterations: 100, Tolerance: solve.Exact}
	cg, x := solve.NewCG(grad.Rows, grad.Cols, set), vec.New[float64](grad.Rows, grad.Cols)
	var res solve.Result
	err = b.timed(r, onThreads(workSolve, threads), func() (err error) {
		clear(x.Data)
		res, err = cg.Solve(ctx, a, grad, x)
		return err
	})
	if err != nil {
		return err
	}
	r.note("%s: %d iterations", onThreads(workSolve, threads), res.Iterations)
	return nil
}
