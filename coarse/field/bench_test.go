package field_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/coarse/field"
	"unfold/coarse/field/fieldtest"
	"unfold/sparse/vec"
)

// fields are those of the benchmarks: 70,000 points in blobs.
func fields(b *testing.B, run func(b *testing.B, s *fieldtest.State, f field.Field)) {
	for _, c := range []struct {
		name   string
		dims   int
		create func(delta2 []float64, dims int) field.Field
	}{
		{"cells/d=2", 2, func(delta2 []float64, dims int) field.Field {
			return field.NewCells(delta2, dims, field.CellSettings{})
		}},
		{"cells/d=3", 3, func(delta2 []float64, dims int) field.Field {
			return field.NewCells(delta2, dims, field.CellSettings{})
		}},
		{"shared/d=10", 10, func(delta2 []float64, dims int) field.Field {
			return field.NewShared(delta2, dims, field.SharedSettings{})
		}},
		{"anchors/d=10", 10, func(delta2 []float64, dims int) field.Field {
			return field.NewAnchors(delta2, dims, field.AnchorSettings{})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := fieldtest.Blobs(70000, c.dims, 40, 1)
			f := c.create(s.Delta2, c.dims)
			f.Move(0, s.Mu, s.Sigma2)
			f.Sweep(0, func(*field.Batch) {})
			run(b, s, f)
			b.ReportMetric(float64(f.Pairs())/70000, "sources/point")
		})
	}
}

// BenchmarkMove moves points a little between moves, as steps of learning do.
func BenchmarkMove(b *testing.B) {
	fields(b, func(b *testing.B, s *fieldtest.State, f field.Field) {
		r := rand.New(rand.NewPCG(1, 1))
		other := s.Mu.Clone()
		for i := range other.Data {
			other.Data[i] += 0.3 * r.NormFloat64()
		}
		states := [2]vec.Matrix[float64]{s.Mu, other}
		i := 0
		for b.Loop() {
			i++
			f.Move(0, states[i%2], s.Sigma2)
		}
	})
}

// BenchmarkSweep is without work for the visitor.
func BenchmarkSweep(b *testing.B) {
	fields(b, func(b *testing.B, _ *fieldtest.State, f field.Field) {
		for b.Loop() {
			f.Sweep(0, func(*field.Batch) {})
		}
	})
}

// BenchmarkForce is a sweep that sums up the repulsion of two dimensions.
func BenchmarkForce(b *testing.B) {
	s := fieldtest.Blobs(70000, 2, 40, 1)
	for _, theta := range []float64{0.2, 0.3, 0.4} {
		b.Run(fmt.Sprintf("theta=%v", theta), func(b *testing.B) {
			f := field.NewCells(s.Delta2, 2, field.CellSettings{Theta: theta})
			f.Move(0, s.Mu, s.Sigma2)
			out := vec.New[float64](s.N(), 2)
			for b.Loop() {
				f.Sweep(0, func(b *field.Batch) { fieldtest.Force(b, 2, out) })
			}
			b.ReportMetric(float64(f.Pairs())/70000, "sources/point")
			if math.IsNaN(out.Data[0]) {
				b.Fatal("not a number")
			}
		})
	}
}
