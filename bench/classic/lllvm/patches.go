package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"unfold/internal/vec"
	"unfold/models/classic/lllvm"
	"unfold/sparse/knn"
)

// Parameters of the patches' experiment: a number of points that the exact model can learn, one for
// which it would take too long, and the iterations of both.
const (
	patchPoints    = 2000
	manyPoints     = 10_000
	patchSteps     = 20
	patchNeighbors = 9
)

// patches compares the bound in patches of several sizes with the exact bound.
func patches(ctx context.Context, b *bench) (string, error) {
	t, err := readTable(filepath.Join(b.data, "swissroll", "swiss_roll.csv.gz"), true)
	if err != nil {
		return "", err
	}
	rows := ""
	for _, part := range []struct {
		points int
		sizes  []int
	}{{patchPoints, []int{0, lllvm.PatchPoints, 500, 250, 125}}, {manyPoints, []int{lllvm.PatchPoints, 500, 250}}} {
		x, err := t.sample(part.points, 1).numbers("x", "y", "z")
		if err != nil {
			return "", err
		}
		lines, err := patchTable(ctx, scaled(x), part.sizes, patchSteps)
		if err != nil {
			return "", err
		}
		rows += lines
	}
	return fmt.Sprintf(`Beyond %d learnt points the bound is computed in patches (--patch, about %d points each unless said otherwise): a lower bound of the full
bound, tighter with larger patches. A swiss roll with %d neighbours, the bound
after %d iterations from the same start, and the time of one of them; the last column is its difference from that of one patch, which
is the model itself.

| points | patches | largest | bound | time of an iteration | lower by |
|---|---|---|---|---|---|
%s`, lllvm.ExactPoints, lllvm.PatchPoints, patchNeighbors, patchSteps, rows), nil
}

// patchTable has a line per size of patches; 0 is the exact model.
func patchTable(ctx context.Context, y vec.Matrix[float64], sizes []int, steps int) (lines string, err error) {
	nb, err := knn.Graph(ctx, y, patchNeighbors, knn.Settings{})
	if err != nil {
		return "", err
	}
	lists := make([][]int32, nb.N)
	for i := range lists {
		lists[i], _ = nb.Row(i)
	}
	var whole float64
	for _, size := range sizes {
		g, err := lllvm.NewPatchedGraph(lists, size, 0)
		if err != nil {
			return "", err
		}
		m, err := lllvm.NewModel(g, y, lllvm.Settings{})
		if err != nil {
			return "", err
		}
		st, begin := m.Random(1), time.Now()
		if _, err := m.Learn(ctx, st, lllvm.Course{Steps: steps, Tolerance: -1}); err != nil {
			return "", err
		}
		took, bound, lower := time.Since(begin).Seconds()/float64(steps), st.Bound.Total(), ""
		if size == 0 {
			whole = bound
		} else if whole != 0 {
			lower = fmt.Sprintf("%.2f%%", 100*(whole-bound)/whole)
		}
		count, largest := g.Patches()
		lines += fmt.Sprintf("| %d | %d | %d | %.1f | %.2f s | %s |\n", y.Rows, count, largest, bound, took, lower)
	}
	return lines, nil
}
