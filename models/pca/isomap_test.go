package pca

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
)

// A rolled strip is flattened, with both eigenvector solvers and with several components.
func TestIsomapUnrolls(t *testing.T) {
	for _, n := range []int{200, 400} {
		rnd := rand.New(rand.NewPCG(3, uint64(n)))
		x, along := vec.New[float32](n, 3), make([]float64, n)
		for i := range n {
			a, h := 3+6*rnd.Float64(), rnd.Float64()
			if a > 6 {
				a += 0.5 // two parts
			}
			along[i] = a * a / 2 // the length of the spiral r = a
			copy(x.Row(i), []float32{float32(a * math.Cos(a)), float32(a * math.Sin(a)), float32(h)})
		}
		p, err := Isomap(context.Background(), x, 2, IsomapSettings{Neighbors: 8, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		var sa, sp, aa, pp, ap float64
		for i, a := range along {
			sa += a / float64(n)
			sp += p.Row(i)[0] / float64(n)
		}
		for i, a := range along {
			aa += (a - sa) * (a - sa)
			pp += (p.Row(i)[0] - sp) * (p.Row(i)[0] - sp)
			ap += (a - sa) * (p.Row(i)[0] - sp)
		}
		if r := math.Abs(ap) / math.Sqrt(aa*pp); r < 0.995 || math.Abs(sp) > 1e-3 {
			t.Errorf("%d points: correlation %g with the length of the spiral, mean %g", n, r, sp)
		}
	}
}

func TestIsomapBadInput(t *testing.T) {
	x := vec.Of(3, 1, []float32{1, 2, 4})
	for _, c := range []struct{ q, k int }{{0, 1}, {3, 1}, {1, 3}, {1, -1}} {
		if _, err := Isomap(context.Background(), x, c.q, IsomapSettings{Neighbors: c.k}); !errors.Is(err, models.ErrBadInput) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
