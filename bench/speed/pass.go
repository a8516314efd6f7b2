package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"unfold/coarse"
	"unfold/coarse/field"
	"unfold/models/lvm"
	"unfold/models/lvm/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/vec"
)

// The model's own figures for numbers of points.
func passOf(n int) string { return fmt.Sprintf("default model, one pass, n = %d", n) }

func moveOf(n int) string { return fmt.Sprintf("its cells found anew, n = %d", n) }

const gaussPass = "Gaussian tails, one pass"

func passSizes(b *bench) []int {
	if b.small {
		return []int{1_000, 4_000}
	}
	return []int{10_000, 70_000, 100_000, 1_000_000}
}

func passRow() row {
	return row{
		key: "pass", title: "One pass of learning",
		about: `The E-step of all points in the plane: of the default model (heavy tails), finding the cells of the map anew, the sums
over all pairs, and the linear system; points in 40 groups, as many for any n, with 6 neighbours each. The growth from the
smallest n to the largest is divided by that of n log n. Of the model with Gaussian tails, the sums over pairs with
landmarks and the linear system, for MNIST at its start.`,
		bars: []bar{
			{what: "growth from 10,000 to 1,000,000 points, of n log n", value: growth(10_000, 1_000_000, 1_000, 4_000), bound: 1, format: "%.2f"},
		},
		measure: measurePass,
	}
}

// growth is the growth of a pass's time from one n to another, or of toy data, as
// a share of that of n log n.
func growth(from, to, toyFrom, toyTo int) func(*record) (float64, bool) {
	of := func(r *record, from, to int) (float64, bool) {
		v, ok := ratio(own, passOf(to), own, passOf(from))(r)
		m, n := float64(from), float64(to)
		return v * m * math.Log(m) / (n * math.Log(n)), ok
	}
	return func(r *record) (float64, bool) {
		if v, ok := of(r, from, to); ok {
			return v, ok
		}
		return of(r, toyFrom, toyTo)
	}
}

func measurePass(ctx context.Context, b *bench, r *record) error {
	for _, n := range passSizes(b) {
		p, st := groupedMap(n)
		m, err := student.NewModel(p, 2, student.Settings{Single: true, Threads: b.threads})
		if err != nil {
			return err
		}
		m.Assemble(st) // takes memory
		if err := b.timed(r, passOf(n), func() error { m.Assemble(st); return nil }); err != nil {
			return err
		}
		if err := b.timed(r, moveOf(n), func() error { p.Field.Move(b.threads, st.Mu, st.Sigma2); return nil }); err != nil {
			return err
		}
	}
	m, st, err := b.gaussian(ctx, b.threads)
	if err != nil {
		return err
	}
	m.Assemble(st)
	return b.timed(r, gaussPass, func() error { m.Assemble(st); return nil })
}

// groupedMap returns a map in the plane of n points in 40 groups, each similar to
// 6 of its own group, held against cells.
func groupedMap(n int) (*student.Problem, *student.State) {
	const groups, k = 40, 6
	rng := rand.New(rand.NewPCG(2, 2))
	st := &student.State{Mu: vec.New[float64](n, 2), Sigma2: make([]float64, n)}
	centers := vec.New[float64](groups, 2)
	for i := range centers.Data {
		centers.Data[i] = 30 * rng.NormFloat64()
	}
	nb := knn.NewNeighbors(n, k)
	size := n/groups + 1
	for i := range n {
		group := i / size
		for c, v := range centers.Row(group) {
			st.Mu.Row(i)[c] = v + 3*rng.NormFloat64()
		}
		st.Sigma2[i] = student.DefaultSigma2
		to, dist2 := nb.Row(i)
		for q := range to {
			to[q], dist2[q] = int32((group*size+rng.IntN(size))%n), .5+rng.Float64()
		}
	}
	p := student.NewProblem(nb, k, student.Native)
	p.Field = field.NewCells(p.Bandwidth2, 2, field.CellSettings{Theta: field.DefaultTheta(2)})
	return p, st
}

// gaussian returns the model with Gaussian tails of MNIST in the plane, by the
// settings of a fit, at its start.
func (b *bench) gaussian(ctx context.Context, threads int) (*lvm.Model, *lvm.State, error) {
	p, err := b.gaussianPairs(ctx)
	if err != nil {
		return nil, nil, err
	}
	st, err := lvm.Start(ctx, p, 2, lvm.StartSettings{})
	if err != nil {
		return nil, nil, err
	}
	return lvm.NewModel(p, 2, lvm.ModelSettings{Threads: threads}), st, nil
}

func (b *bench) gaussianPairs(ctx context.Context) (*coarse.Pairs, error) {
	d, err := b.images(ctx)
	if err != nil {
		return nil, err
	}
	nb, err := knn.Graph(ctx, d.z, 9, knn.Settings{Threads: b.threads})
	if err != nil {
		return nil, err
	}
	g, err := graph.Build(ctx, d.z, nb, graph.Settings{Threads: b.threads})
	if err != nil {
		return nil, err
	}
	return coarse.New(ctx, d.z, g, coarse.Settings{Level: lvm.LevelAuto.Resolve(g.N), Seed: 1, Threads: b.threads})
}
