package gplvm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"unfold/models/kernel"
	"unfold/sparse/vec"
)

// BenchmarkGradient is a value with its gradient: D = 12, q = 2, full RBF.
func BenchmarkGradient(b *testing.B) {
	for _, n := range []int{1000, 3000} {
		b.Run(fmt.Sprint("n=", n), func(b *testing.B) {
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
			v := &Value{Theta: make([]float64, len(theta)), X: vec.New[float64](n, 2)}
			for b.Loop() {
				if err := m.Evaluate(v, theta, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
