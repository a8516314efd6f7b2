package student

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/coarse/field"
	"unfold/sparse/knn"
)

// BenchmarkKernels gives the time of one pair of a target and a source, both
// directions together, in every kernel; 600 sources as with cells in the map.
func BenchmarkKernels(b *testing.B) {
	const targets, sources = 64, 600
	for _, d := range []int{2, 3, 5, 8, 10, 16, 32} {
		r := rand.New(rand.NewPCG(1, uint64(d)))
		o := &one{field.Batch{Targets: columns(targets, d, 5, r), Sources: columns(sources, d, 5, r), Self: -1}}
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
		run := func(what string, m *Model, visit func(*field.Batch)) {
			b.Run(fmt.Sprintf("d=%d/%s", d, what), func(b *testing.B) {
				for b.Loop() {
					visit(&o.batch)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(o.Pairs()), "ns/pair")
			})
		}
		m, err := NewModel(p, d, Settings{})
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
			m, err := NewModel(p, d, Settings{Tail: 0.7})
			if err != nil {
				b.Fatal(err)
			}
			run("push-any-tail", m, m.visitPush)
		}
	}
}
