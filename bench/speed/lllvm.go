package main

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models/classic/lllvm"
	"unfold/models/modeltest"
	"unfold/sparse/knn"
)

const (
	denseSum      = "numpy, the paper's sums over pairs of edges"
	fourHundred   = "an iteration, 400 points"
	twoThousand   = "an iteration, 2000 points"
	tenThousand   = "an iteration in patches, 10,000 points"
	lllvmMatrices = "matrices held, 2000 points"
)

func lllvmRow() row {
	return row{
		key: "lllvm", title: "Locally linear latent variable model",
		about: `An iteration of variational EM (q(x), q(C), gamma, with the bound after each) of points of a swiss roll with 9 neighbours, in two dimensions and double
precision. 10,000 points are in patches. The paper's sums are over pairs of edges for each pair of points; numpy sums all of a point at once, as the
authors' program does, without the bound. The means of q(x) after the first iteration are equal.`,
		targets: []target{
			{what: "400 points", value: figure(own, fourHundred, 1000), bound: 40, unit: " ms", format: "%.0f"},
			{what: "400 points, of the paper's sums'", value: share(denseSum, fourHundred), bound: .02, format: "%.4f"},
			{what: "2000 points", value: figure(own, twoThousand, 1), bound: 4, unit: " s", format: "%.2f"},
			{what: "10,000 points, in patches", value: figure(own, tenThousand, 1), bound: 10, unit: " s", format: "%.2f"},
			{what: lllvmMatrices, value: figure(own, lllvmMatrices, 1./(1<<30)), bound: 3, unit: " GiB", format: "%.2f"},
		},
		measure: measureLLLVM,
	}
}

func measureLLLVM(ctx context.Context, b *bench, r *record) error {
	for _, c := range []struct {
		what     string
		n, patch int
	}{{fourHundred, b.size(400, 60), 0}, {twoThousand, b.size(2000, 80), 0}, {tenThousand, b.size(10_000, 120), b.size(lllvm.PatchPoints, 40)}} {
		m, g, err := b.rollModel(ctx, c.n, c.patch)
		if err != nil {
			return err
		}
		st := m.Random(1)
		start := st.MuC.Clone()
		if _, err := m.Step(st); err != nil {
			return err
		}
		switch c.what {
		case fourHundred:
			if err := b.denseLLLVM(ctx, r, c.what, g, modeltest.SwissRoll(c.n), start, st.MuX); err != nil {
				return err
			}
		case twoThousand:
			set, err := lllvm.FitSettings{Options: lllvm.Options{Points: c.n}}.Resolved()
			if err != nil {
				return err
			}
			r.add(own, lllvmMatrices, inBytes, float64(set.Bytes(c.n, 3)))
		default:
			patches, largest := m.Patches()
			r.note("10,000 points are in %d patches, the largest of which has %d.", patches, largest)
		}
		if err := b.timed(r, c.what, func() error { _, err := m.Step(st); return err }); err != nil {
			return err
		}
	}
	return b.patchError(ctx, r)
}

// rollModel is the model of n points of a swiss roll.
func (b *bench) rollModel(ctx context.Context, n, patch int) (*lllvm.Model, *lllvm.Graph, error) {
	y := modeltest.SwissRoll(n)
	nb, err := knn.Graph(ctx, y, 9, knn.Settings{Threads: b.threads})
	if err != nil {
		return nil, nil, err
	}
	lists := make([][]int32, n)
	for i := range lists {
		lists[i], _ = nb.Row(i)
	}
	g, err := lllvm.NewPatchedGraph(lists, patch, b.threads)
	if err != nil {
		return nil, nil, err
	}
	m, err := lllvm.NewModel(g, y, lllvm.Settings{Threads: b.threads})
	return m, g, err
}

// patchError records the difference between the exact bound and that in patches.
func (b *bench) patchError(ctx context.Context, r *record) error {
	const iterations = 20
	n, whole := b.size(2000, 80), 0.
	for _, patch := range []int{0, b.size(lllvm.PatchPoints, 40), b.size(500, 20), b.size(250, 10)} {
		m, _, err := b.rollModel(ctx, n, patch)
		if err != nil {
			return err
		}
		st := m.Random(1)
		if _, err := m.Learn(ctx, st, lllvm.Course{Steps: iterations, Tolerance: -1}); err != nil {
			return err
		}
		bound := st.Bound.Total()
		if patch == 0 {
			whole = bound
			r.note("The bound of %d points after %d iterations is %.1f.", n, iterations, bound)
			continue
		}
		patches, _ := m.Patches()
		r.note("In patches of at most %d points of their own (%d patches) it is %.1f, %.2f%% lower.", patch, patches, bound, 100*(whole-bound)/whole)
	}
	return nil
}

// denseLLLVM repeats the computation with numpy.
func (b *bench) denseLLLVM(ctx context.Context, r *record, what string, g *lllvm.Graph, y, start, want vec.Matrix[float64]) error {
	var edges []int32
	for i, list := range g.Neighbors {
		for _, j := range list {
			edges = append(edges, int32(i), j)
		}
	}
	path := b.file("lllvm.npz")
	err := writeNPZ(path, array{"y", y.Data, []int{y.Rows, y.Cols}}, array{"edges", edges, []int{len(edges) / 2, 2}},
		array{"c", start.Data, []int{start.Rows, start.Cols}}, array{"x", want.Data, []int{want.Rows, want.Cols}})
	if err != nil {
		return fmt.Errorf("lllvm: %w", err)
	}
	_, err = b.peer(ctx, r, denseSum, "lllvm", path, denseSum, what)
	return err
}
