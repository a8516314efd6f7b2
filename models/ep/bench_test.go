package ep

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models/psi"
)

// A sweep over 10,000 sites with 100 inducing inputs in the plane.
func BenchmarkSweep(b *testing.B) {
	const n, m = 10_000, 100
	rnd := rand.New(rand.NewPCG(3, 4))
	x, s, z, y := vec.New[float64](n, 2), vec.New[float64](n, 2), vec.New[float64](m, 2), make([]float64, n)
	for i := range x.Data {
		x.Data[i], s.Data[i] = rnd.NormFloat64(), 0.05
	}
	for i := range z.Data {
		z.Data[i] = rnd.NormFloat64()
	}
	for i := range y {
		y[i] = math.Copysign(1, math.Sin(3*x.Row(i)[0])+0.3*rnd.NormFloat64())
	}
	k := &psi.Kernel{Variance: 2, Alpha: []float64{2, 2}}
	p, err := NewProcess(k, psi.Inputs{Mu: x, S: s}, z, 0)
	if err != nil {
		b.Fatal(err)
	}
	e, err := NewSparse(Probit{}, p, y)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("sweep", func(b *testing.B) {
		for b.Loop() {
			if err := e.sweep(1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("psi", func(b *testing.B) {
		g := psi.NewGradient(n, m, 2)
		dtau, nu := make([]float64, n), vec.Of(n, 1, e.Nu)
		for b.Loop() {
			if _, err := p.Collapsed(e.Tau, nu, g, dtau); err != nil {
				b.Fatal(err)
			}
		}
	})
}
