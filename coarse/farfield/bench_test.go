package farfield_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/coarse/farfield"
	"unfold/coarse/farfield/fieldtest"
	"unfold/internal/vec"
)

// fields runs a benchmark on each kind of field, with 70,000 points in blobs.
func fields(b *testing.B, run func(b *testing.B, s *fieldtest.State, f farfield.Field)) {
	for _, c := range []struct {
		name   string
		dims   int
		create func(delta2 []float64, dims int) farfield.Field
	}{
		{"cells/d=2", 2, func(delta2 []float64, dims int) farfield.Field {
			return farfield.NewCells(delta2, dims, farfield.CellSettings{})
		}},
		{"cells/d=3", 3, func(delta2 []float64, dims int) farfield.Field {
			return farfield.NewCells(delta2, dims, farfield.CellSettings{})
		}},
		{"shared/d=10", 10, func(delta2 []float64, dims int) farfield.Field {
			return farfield.NewShared(delta2, dims, farfield.SharedSettings{})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := fieldtest.Blobs(70000, c.dims, 40, 1)
			f := c.create(s.Delta2, c.dims)
			f.Move(0, s.Mu, s.Sigma2)
			f.Sweep(0, func(*farfield.Batch) {})
			run(b, s, f)
			b.ReportMetric(float64(f.Pairs())/70000, "sources/point")
		})
	}
}

// BenchmarkMove measures Move with points that move slightly between calls, as in learning.
func BenchmarkMove(b *testing.B) {
	fields(b, func(b *testing.B, s *fieldtest.State, f farfield.Field) {
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
	fields(b, func(b *testing.B, _ *fieldtest.State, f farfield.Field) {
		for b.Loop() {
			f.Sweep(0, func(*farfield.Batch) {})
		}
	})
}

// BenchmarkForce measures a sweep that computes the repulsion in two dimensions.
func BenchmarkForce(b *testing.B) {
	s := fieldtest.Blobs(70000, 2, 40, 1)
	for _, theta := range []float64{0.2, 0.3, 0.4} {
		b.Run(fmt.Sprintf("theta=%v", theta), func(b *testing.B) {
			f := farfield.NewCells(s.Delta2, 2, farfield.CellSettings{Theta: theta})
			f.Move(0, s.Mu, s.Sigma2)
			out := vec.New[float64](s.N(), 2)
			for b.Loop() {
				f.Sweep(0, func(b *farfield.Batch) { fieldtest.Force(b, 2, out) })
			}
			b.ReportMetric(float64(f.Pairs())/70000, "sources/point")
			if math.IsNaN(out.Data[0]) {
				b.Fatal("not a number")
			}
		})
	}
}
