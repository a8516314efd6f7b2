package student

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// BenchmarkKernels measures the time of one pair of a target and a source, both directions
// together, for every kernel. It uses 600 sources, about the number of cells in a map.
func BenchmarkKernels(b *testing.B) {
	const targets, sources = 64, 600
	for _, d := range []int{2, 3, 5, 8, 10, 16, 32} {
		r := rand.New(rand.NewPCG(1, uint64(d)))
		o := &one{farfield.Batch{Targets: columns(targets, d, 5, r), Sources: columns(sources, d, 5, r), Self: -1}}
		for i := range targets {
			o.batch.Points = append(o.batch.Points, int32(i))
		}
		for k := range sources {
			w := 1.0
			if d == 2 && k > sources/2 {
				w = float64(10 + r.IntN(20))
			}
			o.batch.Weight = append(o.batch.Weight, w)
		}
		p := NewProblem(knn.NewNeighbors(targets, 1), 1, Unit)
		p.Field = o
		run := func(what string, m *Model, visit func(*farfield.Batch)) {
			b.Run(fmt.Sprintf("d=%d/%s", d, what), func(b *testing.B) {
				for b.Loop() {
					visit(&o.batch)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(o.Pairs()), "ns/pair")
			})
		}
		m, err := NewModel(p, d, ModelSettings{})
		if err != nil {
			b.Fatal(err)
		}
		run("push", m, m.visitPush)
		if d == 2 {
			m.fresh = true
			run("local", m, m.visitPush)
			m.fresh = false
			run("push-by-tiles", m, m.push)
			run("logs-by-tiles", m, m.logs)
		}
		run("logs", m, m.visitLogs)
		run("sigma-any-tail", m, m.spreads)
		if d == 2 || d == 10 {
			m, err := NewModel(p, d, ModelSettings{Tail: 0.7})
			if err != nil {
				b.Fatal(err)
			}
			run("push-any-tail", m, m.visitPush)
		}
	}
}

// BenchmarkStep measures one step of learning for 70,000 points with clusters on the map.
func BenchmarkStep(b *testing.B) {
	const n, k = 70_000, 6
	for _, d := range []int{2, 3, 10} {
		r := rand.New(rand.NewPCG(2, uint64(d)))
		st := &State{Mu: vec.New[float64](n, d), Sigma2: make([]float64, n)}
		centers := columns(40, d, 30, r)
		nb := knn.NewNeighbors(n, k)
		for i := range n {
			group := i / (n/40 + 1)
			for c := range d {
				st.Mu.Row(i)[c] = centers.Mu[c][group] + 3*r.NormFloat64()
			}
			st.Sigma2[i] = DefaultSigma2
			to, dist2 := nb.Row(i)
			for q := range to {
				// A point of the same group; the indices only matter for the time.
				to[q], dist2[q] = int32((group*(n/40+1)+r.IntN(n/40))%n), 0.5+r.Float64()
			}
		}
		p := NewProblem(nb, k, Native)
		if d <= 3 {
			p.Field = farfield.NewCells(p.Bandwidth2, d, farfield.CellSettings{})
		} else {
			p.Field = farfield.NewShared(p.Bandwidth2, d, farfield.SharedSettings{})
		}
		m, err := NewModel(p, d, ModelSettings{})
		if err != nil {
			b.Fatal(err)
		}
		ctx := context.Background()
		part := func(what string, f func()) {
			b.Run(fmt.Sprintf("d=%d/%s", d, what), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(p.Field.Pairs())/n, "sources")
			})
		}
		part("step", func() {
			if _, err := m.Step(ctx, st); err != nil {
				b.Fatal(err)
			}
		})
		part("move", func() { m.move(st) })
		part("sweep", func() { p.Field.Sweep(0, m.visitPush) })
		part("system", func() {
			m.similar.system(0, st, 1e-9, 1, true, m.pushes, m.bound, m.system, m.grad)
		})
		part("solve", func() {
			clear(m.step.Data)
			if _, err := m.cg.Solve(ctx, m.system, m.grad, m.step); err != nil {
				b.Fatal(err)
			}
		})
		part("loglik", func() { m.logLikelihoods(st, 1) })
	}
}
