package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"unfold/coarse/farfield"
	"unfold/coarse/landmark"
	"unfold/internal/simd/pairwise"
	"unfold/internal/vec"
	"unfold/models/saul"
	"unfold/models/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// The model's own figures for numbers of points.
func passOf(n int) string { return fmt.Sprintf("default model, one pass, n = %d", n) }

func moveOf(n int) string { return fmt.Sprintf("its cells found again, n = %d", n) }

func gatherOf(n int) string { return fmt.Sprintf("its sources gathered, nothing summed, n = %d", n) }

const (
	gaussPass = "Gaussian tails, one pass"
	pacePass  = "default model, the kernel of its pairs, a million pairs on one thread"
)

// kernelFlops is the number of operations per pair in pairwise.PushFar32. A fused multiply-add
// counts as two and a division as one.
const kernelFlops = 28

func passSizes(b *bench) []int {
	if b.small {
		return []int{1_000, 4_000}
	}
	return []int{10_000, 70_000, 100_000, 1_000_000}
}

func passRow() row {
	return row{
		key: "pass", title: "One pass of learning",
		about: `The E-step of all points in the plane. For the default model (heavy tails) it consists of finding the cells of the map, the sums over all pairs, and the linear system;
points lie in 40 groups for any n, with 6 neighbours each. The growth from the smallest n to the largest is divided by that of n log n. The notes have the
time of the pairs alone, at the kernel's speed in the first-level cache. For the model with Gaussian tails it consists of the sums over pairs with landmarks
and the linear system, for MNIST at its start.`,
		targets: []target{
			{what: "default model, one pass, n = 70,000", value: passTime(70_000, 4_000), bound: 10, unit: " ms", format: "%.1f"},
			{what: "growth from 10,000 to 1,000,000 points, of n log n", value: growth(10_000, 1_000_000, 1_000, 4_000), bound: 1, format: "%.2f"},
		},
		measure: measurePass,
	}
}

// passTime returns the milliseconds of a pass of n points, or of toy data.
func passTime(n, toy int) func(*record) (float64, bool) {
	return func(r *record) (float64, bool) {
		if v, ok := figure(own, passOf(n), 1e3)(r); ok {
			return v, ok
		}
		return figure(own, passOf(toy), 1e3)(r)
	}
}

// growth returns the growth of a pass's time from one n to another, or of toy data, relative to
// that of n log n.
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
	if err := b.pace(r); err != nil {
		return err
	}
	for _, n := range passSizes(b) {
		p, st := groupedMap(n)
		m, err := student.NewModel(p, 2, student.ModelSettings{Single: true, Threads: b.threads})
		if err != nil {
			return err
		}
		m.Assemble(st) // allocates
		if err := b.timed(r, passOf(n), func() error { m.Assemble(st); return nil }); err != nil {
			return err
		}
		if err := b.timed(r, moveOf(n), func() error { p.Field.Move(b.threads, st.Mu, st.Sigma2); return nil }); err != nil {
			return err
		}
		if err := b.timed(r, gatherOf(n), func() error { p.Field.Sweep(b.threads, func(*farfield.Batch) {}); return nil }); err != nil {
			return err
		}
		b.passProfile(r, n, p.Field.Pairs())
	}
	m, st, err := b.gaussian(ctx, b.threads)
	if err != nil {
		return err
	}
	m.Assemble(st)
	return b.timed(r, gaussPass, func() error { m.Assemble(st); return nil })
}

// pace measures the pair kernel alone, for one target at a time, with the number of sources of a
// point, in the cache.
func (b *bench) pace(r *record) error {
	const sources, targets = 800, 1250
	rng := rand.New(rand.NewPCG(3, 3))
	column := func(f func() float64) []float32 {
		x := make([]float32, sources)
		for k := range x {
			x[k] = float32(f())
		}
		return x
	}
	place := func() float64 { return 5 * rng.NormFloat64() }
	scale := func() float64 { return .1 + rng.Float64() }
	run := pairwise.Run[float32]{X: column(place), Y: column(place), S: column(scale), A: column(scale), W: column(scale)}
	var sum pairwise.Force
	err := b.timed(r, pacePass, func() error {
		for k := range targets {
			t := pairwise.Spot[float32]{X: float32(k) / targets, S: student.DefaultSigma2, A: 1}
			sum.Add(pairwise.PushFar32(&t, &run))
		}
		return nil
	})
	if err == nil && math.IsNaN(sum.V) {
		err = fmt.Errorf("the kernel of pairs returns no number")
	}
	return err
}

// passProfile records the composition of a pass of n points from the measurements.
func (b *bench) passProfile(r *record, n int, count int64) {
	best := func(what string) float64 {
		v, _ := r.best(own, what)
		return v
	}
	whole, million := best(passOf(n)), best(pacePass)
	least := million * float64(count) / 1e6 / float64(b.threads)
	r.note("n = %d: %.0f pairs a point, %s in all; at the kernel's speed of %.2f ns a pair and thread, %.0f GFLOP/s, they alone take %s, "+
		"%.0f%% of the pass; finding the cells takes %.0f%%, gathering sources %.0f%%, the rest (the linear system and slower sums) %.0f%%",
		n, float64(count)/float64(n), quantity(float64(count), plain), 1e3*million, kernelFlops*1e-3/million, quantity(least, seconds),
		100*least/whole, 100*best(moveOf(n))/whole, 100*best(gatherOf(n))/whole, 100*(1-(least+best(moveOf(n))+best(gatherOf(n)))/whole))
}

// groupedMap returns a map in the plane of n points in 40 groups. Each is similar to 6 of its own
// group, with dissimilar pairs by cells.
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
	p.Field = farfield.NewCells(p.Bandwidth2, 2, farfield.CellSettings{Theta: farfield.DefaultTheta(2)})
	return p, st
}

// gaussian returns the model with Gaussian tails of MNIST in the plane, with a fit's settings, at
// its start.
func (b *bench) gaussian(ctx context.Context, threads int) (*saul.Model, *saul.State, error) {
	p, err := b.gaussianPairs(ctx)
	if err != nil {
		return nil, nil, err
	}
	st, err := saul.Start(ctx, p, 2, saul.StartSettings{})
	if err != nil {
		return nil, nil, err
	}
	return saul.NewModel(p, 2, saul.ModelSettings{Threads: threads}), st, nil
}

func (b *bench) gaussianPairs(ctx context.Context) (*landmark.Pairs, error) {
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
	return landmark.New(ctx, d.z, g, landmark.Settings{Level: saul.LevelAuto.Resolve(g.N), Seed: 1, Threads: b.threads})
}
