package gplvm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/kernel"
)

// BenchmarkGradient measures one value with its gradient: D = 12, q = 2, full RBF. K has low rank
// at a gamma of 1 and full rank at 20.
func BenchmarkGradient(b *testing.B) {
	for _, c := range []struct {
		n     int
		gamma float64
	}{{1000, 1}, {3000, 1}, {1000, 20}} {
		n := c.n
		b.Run(fmt.Sprintf("n=%d/gamma=%g", n, c.gamma), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 2))
			y, x := vec.New[float64](n, 12), vec.New[float64](n, 2)
			for i := range y.Data {
				y.Data[i] = rnd.NormFloat64()
			}
			for i := range x.Data {
				x.Data[i] = rnd.NormFloat64()
			}
			k := kernel.New(kernel.RBF{}, kernel.Bias{}, kernel.White{})
			m, err := New(k, y, 0)
			if err != nil {
				b.Fatal(err)
			}
			theta := k.Start()
			theta[0] = c.gamma
			v := &Value{Theta: make([]float64, len(theta)), X: vec.New[float64](n, 2)}
			for b.Loop() {
				if err := m.Evaluate(v, theta, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPlace measures the placing of a vector of 12 values with 1000 points.
func BenchmarkPlace(b *testing.B) {
	x := vec.New[float32](1000, 12)
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range x.Rows {
		u, v := rnd.NormFloat64(), rnd.NormFloat64()
		for c := range x.Row(i) {
			x.Row(i)[c] = float32(math.Sin(u*float64(c+1)/4) + math.Cos(v*float64(c+1)/4) + 0.05*rnd.NormFloat64())
		}
	}
	f, err := Fit(context.Background(), x, FitSettings{Common: models.Common{Steps: 5}, Options: Options{Smooth: true}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	back := f.Back
	b.Run("smooth", func(b *testing.B) {
		w, at, y := back.NewScratch(), make([]float64, 2), make([]float64, 12)
		for b.Loop() {
			f.Units.Apply(y, x.Row(7))
			back.Place(at, y, w)
		}
	})
	f.Back = nil
	p, err := newPlacer(f)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("likelihood", func(b *testing.B) {
		w := p.invite()
		for b.Loop() {
			if _, _, err := w.Place(context.Background(), x.Row(7), []int32{1, 2, 3}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
