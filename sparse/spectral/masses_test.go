package spectral_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/sparse/spectral"
)

// Pairs with masses solve Lap(W) v = lambda M v, have unit mass and are orthogonal to each other
// and to constants: by the dense and the iterative method, for any number of threads.
func TestMasses(t *testing.T) {
	w := grid(25)
	rnd := rand.New(rand.NewPCG(5, 5))
	degrees, random := make([]float64, w.N), make([]float64, w.N)
	for i := range w.N {
		_, v := w.Row(i)
		for _, v := range v {
			degrees[i] += v
		}
		random[i] = math.Exp(rnd.NormFloat64())
	}
	const count = 5
	for _, c := range []struct {
		name   string
		masses []float64
	}{{"degrees", degrees}, {"random", random}} {
		t.Run(c.name, func(t *testing.T) {
			var last []float64
			for _, s := range []spectral.Settings{{Dense: w.N}, {Dense: -1, Tolerance: 1e-11, Threads: 1}, {Dense: -1, Tolerance: 1e-11, Threads: 3}, {Dense: -1, Exact: spectral.Whole, Tolerance: 1e-11, Threads: 1}, {Dense: -1, Exact: spectral.Whole, Tolerance: 1e-11, Threads: 3}} {
				s.Masses = c.masses
				r, err := spectral.Lowest(context.Background(), w, count, s)
				if err != nil || !r.Converged {
					t.Fatalf("%+v, %v", r, err)
				}
				for a := range count {
					checkPair(t, r, a, c.masses)
				}
				for k, v := range r.Vectors.Data {
					if last != nil && math.Abs(v-last[k]) > 1e-8 {
						t.Fatalf("vector %d, point %d: %g, otherwise %g", k%count, k/count, v, last[k])
					}
				}
				if s.Threads == 3 && !slices.Equal(r.Vectors.Data, last) {
					t.Error("three threads give other vectors")
				}
				last = r.Vectors.Data
			}
		})
	}
}

// checkPair checks pair a of grid(25) against its definition.
func checkPair(t *testing.T, r *spectral.Result, a int, masses []float64) {
	t.Helper()
	w := grid(25)
	var mean float64
	for i := range w.N {
		to, v := w.Row(i)
		var image float64
		for k, j := range to {
			image += v[k] * (r.Vectors.Row(i)[a] - r.Vectors.Row(int(j))[a])
		}
		if want := r.Values[a] * masses[i] * r.Vectors.Row(i)[a]; math.Abs(image-want) > 1e-10 {
			t.Fatalf("pair %d, point %d: L v is %g, want %g", a, i, image, want)
		}
		mean += masses[i] * r.Vectors.Row(i)[a]
	}
	if math.Abs(mean) > 1e-10 {
		t.Errorf("pair %d: the mean is %g", a, mean)
	}
	for b := range a + 1 {
		var product, want float64
		for i, m := range masses {
			product += m * r.Vectors.Row(i)[a] * r.Vectors.Row(i)[b]
		}
		if a == b {
			want = 1
		}
		if math.Abs(product-want) > 1e-9 {
			t.Errorf("the product of vectors %d and %d is %g, want %g", a, b, product, want)
		}
	}
}

func TestMassesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		name   string
		masses []float64
	}{
		{"too few", make([]float64, 4)}, {"zero", []float64{1, 1, 0, 1, 1}}, {"not a number", []float64{1, 1, 1, math.NaN(), 1}}, {"infinite", []float64{1, 1, 1, 1, math.Inf(1)}},
	} {
		if _, err := spectral.Lowest(context.Background(), ring(5), 1, spectral.Settings{Masses: c.masses}); err == nil {
			t.Errorf("%s: accepted", c.name)
		}
	}
}
