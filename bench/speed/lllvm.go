package main

import (
	"context"
	"fmt"

	"unfold/models/lllvm"
	"unfold/models/modeltest"
	"unfold/sparse/knn"
	"unfold/sparse/vec"
)

const (
	denseSum      = "numpy, the paper's sums over pairs of edges"
	fourHundred   = "an iteration, 400 points"
	twoThousand   = "an iteration, 2000 points"
	lllvmMatrices = "matrices held, 2000 points"
)

func lllvmRow() row {
	return row{
		key: "lllvm", title: "Locally linear latent variable model",
		about: `An iteration of variational EM (q(x), q(C), gamma, with the bound after each) of points of a swiss roll with 9 neighbours, in
two dimensions and double precision. The paper's sums go over pairs of edges for each pair of points; numpy takes all of a
point at once, as its authors' published program does, with q(x), q(C) and gamma but without the bound. The means of
q(x) after the first iteration are checked to be equal.`,
		bars: []bar{
			{what: "400 points", value: figure(own, fourHundred, 1000), bound: 40, unit: " ms", format: "%.0f"},
			{what: "400 points, of the paper's sums'", value: share(denseSum, fourHundred), bound: .02, format: "%.4f"},
			{what: "2000 points", value: figure(own, twoThousand, 1), bound: 4, unit: " s", format: "%.2f"},
			{what: lllvmMatrices, value: figure(own, lllvmMatrices, 1./(1<<30)), bound: 3, unit: " GiB", format: "%.2f"},
		},
		measure: measureLLLVM,
	}
}

func measureLLLVM(ctx context.Context, b *bench, r *record) error {
	for _, c := range []struct {
		what string
		n    int
	}{{fourHundred, b.size(400, 60)}, {twoThousand, b.size(2000, 80)}} {
		y := modeltest.SwissRoll(c.n)
		nb, err := knn.Graph(ctx, y, 9, knn.Settings{Threads: b.threads})
		if err != nil {
			return err
		}
		lists := make([][]int32, c.n)
		for i := range lists {
			lists[i], _ = nb.Row(i)
		}
		g, err := lllvm.NewGraph(lists, b.threads)
		if err != nil {
			return err
		}
		m, err := lllvm.NewModel(g, y, lllvm.Settings{Threads: b.threads})
		if err != nil {
			return err
		}
		st := m.Random(1)
		start := st.MuC.Clone()
		if _, err := m.Step(st); err != nil {
			return err
		}
		if c.what == fourHundred {
			if err := b.denseLLLVM(ctx, r, c.what, g, y, start, st.MuX); err != nil {
				return err
			}
		} else {
			r.add(own, lllvmMatrices, inBytes, float64(lllvm.Bytes(c.n, 2, y.Cols)))
		}
		if err := b.timed(r, c.what, func() error { _, err := m.Step(st); return err }); err != nil {
			return err
		}
	}
	return nil
}

// denseLLLVM has numpy do the same.
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
