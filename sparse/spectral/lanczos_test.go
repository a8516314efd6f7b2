package spectral_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"unfold/sparse"
	"unfold/sparse/spectral"
)

// squared returns W with Lap(W) = Lap(w)^2, weights of either sign.
func squared(w *sparse.CSR) *sparse.CSR {
	degrees := w.RowSums(make([]float64, w.N))
	var i, j []int32
	var v []float64
	for p := range w.N {
		to, a := w.Row(p)
		for e, q := range to {
			i, j, v = append(i, int32(p)), append(j, q), append(v, a[e]*(degrees[p]+degrees[q]))
			further, b := w.Row(int(q))
			for f, r := range further {
				if int(r) != p {
					i, j, v = append(i, int32(p)), append(j, r), append(v, -a[e]*b[f])
				}
			}
		}
	}
	return sparse.FromTriplets(w.N, w.N, i, j, v)
}

// With a complete factor, few iterations find the vectors of the dense solver, also for weights of
// either sign with small lowest eigenvalues. If the factor would be too large, an approximate one
// is used.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		name  string
		w     *sparse.CSR
		exact int64
		most  int // iterations
	}{
		{"weights", grid(25), spectral.Whole, 12}, {"either sign", squared(grid(25)), spectral.Whole, 12}, {"too large", grid(25), 100, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := spectral.Lowest(context.Background(), c.w, 3, spectral.Settings{Dense: c.w.N})
			if err != nil {
				t.Fatal(err)
			}
			var last []float64
			for _, threads := range []int{1, 3} {
				r, err := spectral.Lowest(context.Background(), c.w, 3, spectral.Settings{Dense: -1, Exact: c.exact, Tolerance: 1e-9, Seed: 1, Threads: threads})
				if err != nil {
					t.Fatal(err)
				}
				if !r.Converged || r.Iterations > c.most {
					t.Fatalf("%d iterations, residual %g", r.Iterations, r.Residual)
				}
				t.Logf("%d iterations, residual %.3g, values %.4g", r.Iterations, r.Residual, r.Values)
				for k, v := range r.Values {
					if math.Abs(v-want.Values[k]) > 1e-9*v {
						t.Errorf("eigenvalue %d is %g, want %g", k, v, want.Values[k])
					}
				}
				for k, v := range r.Vectors.Data {
					if math.Abs(v-want.Vectors.Data[k]) > 1e-8 {
						t.Fatalf("entry %d is %g, want %g", k, v, want.Vectors.Data[k])
					}
				}
				if last != nil && !slices.Equal(last, r.Vectors.Data) {
					t.Error("three threads give other vectors")
				}
				last = r.Vectors.Data
			}
		})
	}
}

// A matrix that is not positive semi-definite is rejected with an error.
func TestExactOfAnIndefiniteMatrix(t *testing.T) {
	w := grid(25)
	for k := range w.Data {
		w.Data[k] = -w.Data[k]
	}
	if _, err := spectral.Lowest(context.Background(), w, 3, spectral.Settings{Dense: -1, Exact: spectral.Whole}); err == nil {
		t.Error("the negative of a Laplacian was accepted")
	}
}
