package mds

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
)

// shape returns n points of a surface over the unit square.
func shape(n, dim int, f func(u, v float64, row []float32)) vec.Matrix[float32] {
	rng := rand.New(rand.NewPCG(11, 3))
	x := vec.New[float32](n, dim)
	for i := range n {
		f(rng.Float64(), rng.Float64(), x.Row(i))
	}
	return x
}

// A rolled or bent sheet is curved; a flat sheet, a solid or a cloud is not.
func TestCurved(t *testing.T) {
	rolled, _ := roll(4500, 3)
	noise := rand.New(rand.NewPCG(12, 3))
	for _, c := range []struct {
		name string
		x    vec.Matrix[float32]
		d    int
		want bool
	}{
		{"roll", rolled, 2, true},
		{"roll of 1500", rolled.Slice(0, 1500), 2, true},
		{"roll in three dimensions", rolled.Slice(0, 1000), 3, false},
		{"s", shape(1000, 3, func(u, v float64, row []float32) {
			a := 3 * math.Pi * (u - 0.5)
			copy(row, []float32{float32(math.Sin(a)), float32(2 * v), float32(math.Copysign(math.Cos(a)-1, a))})
		}), 2, true},
		{"roll with noise", shape(1000, 3, func(u, v float64, row []float32) {
			a := 3 + 9*u
			copy(row, []float32{float32(a*math.Cos(a) + 0.2*noise.NormFloat64()), float32(20 * v), float32(a*math.Sin(a) + 0.2*noise.NormFloat64())})
		}), 2, true},
		{"spiral on a line", shape(1000, 2, func(u, _ float64, row []float32) {
			a := 3 + 9*u
			copy(row, []float32{float32(a * math.Cos(a)), float32(a * math.Sin(a))})
		}), 1, true},
		{"flat sheet", shape(1000, 5, func(u, v float64, row []float32) {
			copy(row, []float32{float32(u), float32(v), float32(u + v), float32(u - v), 1})
		}), 2, false},
		{"sphere", shape(1000, 3, func(u, v float64, row []float32) {
			a, z := 2*math.Pi*u, 2*v-1
			r := math.Sqrt(1 - z*z)
			copy(row, []float32{float32(r * math.Cos(a)), float32(r * math.Sin(a)), float32(z)})
		}), 2, false},
		{"cloud", cloud(1000, 10, 10, 13), 2, false},
		{"solid", cloud(1000, 3, 3, 14), 2, false},
		{"few rows", cloud(9, 3, 3, 15), 2, false},
		{"equal rows", vec.New[float32](5000, 3), 2, false},
	} {
		got, err := Curved(t.Context(), c.x, c.d, Settings{Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		t.Logf("%s: %+v", c.name, *got)
		if got.Curved != c.want {
			t.Errorf("%s: %+v", c.name, *got)
		}
	}
}

// The decision is the same for any number of threads. Bad input and an ended context are errors.
func TestCurvedContract(t *testing.T) {
	x, _ := roll(2000, 4)
	var all []Curvature
	for _, threads := range []int{1, 5} {
		c, err := Curved(t.Context(), x, 2, Settings{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *c)
	}
	if all[0] != all[1] {
		t.Errorf("%+v on one thread, %+v on five", all[0], all[1])
	}
	if _, err := Curved(t.Context(), x, 0, Settings{}); !errors.Is(err, models.ErrBadInput) {
		t.Errorf("no dimensions: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Curved(ctx, x, 2, Settings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
