package pca_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	. "unfold/models/pca"
	"unfold/sparse"
)

// words makes n sparse rows of dim columns, and the same rows dense. The rows have topics: groups
// of columns in a few rows each, of decreasing size.
func words(n, dim int) (*sparse.Rows, vec.Matrix[float32]) {
	rng := rand.New(rand.NewPCG(3, uint64(dim)))
	full := vec.New[float32](n, dim)
	var rows, columns []int32
	var values []float64
	for i := range n {
		topic := i % 7
		for range 8 {
			j := (topic*37 + rng.IntN(20)) % dim
			full.Row(i)[j] = float32(1+rng.Float64()) / float32(1+topic)
		}
		for j, v := range full.Row(i) {
			if v != 0 {
				rows, columns, values = append(rows, int32(i)), append(columns, int32(j)), append(values, float64(v))
			}
		}
	}
	return sparse.RowsFromTriplets(n, dim, rows, columns, values), full
}

// withoutZeros returns the columns of x that are not all 0, and their indices.
func withoutZeros(x vec.Matrix[float32]) (*mat.Dense, []int) {
	var used []int
	for j := range x.Cols {
		for i := range x.Rows {
			if x.Row(i)[j] != 0 {
				used = append(used, j)
				break
			}
		}
	}
	out := mat.NewDense(x.Rows, len(used), nil)
	for i := range x.Rows {
		for k, j := range used {
			out.Set(i, k, float64(x.Row(i)[j]))
		}
	}
	return out, used
}

// The truncated SVD agrees with gonum's dense solver for few and many columns. The projection of
// sparse rows has the same bits as that of dense rows, for any number of threads.
func TestTruncated(t *testing.T) {
	for _, c := range []struct {
		name   string
		n, dim int
	}{{"few columns", 90, 40}, {"formed", 300, 420}, {"few rows", 120, 420}, {"fewer rows than components", 5, 420}, {"many columns", 1200, 2300}, {"many rows of more columns", 2100, 4400}} {
		t.Run(c.name, func(t *testing.T) {
			const q = 6
			a, full := words(c.n, c.dim)
			p, err := Truncated(t.Context(), a, q, Settings{Threads: 1, Tolerance: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			var svd mat.SVD
			narrow, used := withoutZeros(full)
			if !svd.Factorize(narrow, mat.SVDThin) {
				t.Fatal("no singular values")
			}
			var v mat.Dense
			svd.VTo(&v)
			total := 0.0
			for k, s := range svd.Values(nil) {
				total += s * s / float64(c.n)
				if k >= q {
					continue
				}
				if want := s * s / float64(c.n); math.Abs(p.Variance[k]-want) > 1e-7*p.Variance[0] {
					t.Errorf("component %d: mean square %v, want %v", k, p.Variance[k], want)
				}
				dot := 0.0
				for j, column := range used {
					dot += float64(p.Components.Row(k)[column]) * v.At(j, k)
				}
				if math.Abs(math.Abs(dot)-1) > 1e-4 {
					t.Errorf("component %d is at the cosine %v of the singular vector", k, dot)
				}
			}
			if math.Abs(p.Total-total) > 1e-9*total {
				t.Errorf("total %v, want %v", p.Total, total)
			}
			again, err := Truncated(t.Context(), a, q, Settings{Threads: 3, Tolerance: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			z, dense := p.Projector().ApplySparse(a, 2), again.Projector().Apply(full, 1)
			for i, v := range z.Data {
				if math.Float32bits(v) != math.Float32bits(dense.Data[i]) {
					t.Fatalf("row %d, element %d is %v of the sparse row, %v of the full one", i/q, i%q, v, dense.Data[i])
				}
			}
		})
	}
}

func TestTruncatedRefuses(t *testing.T) {
	a, _ := words(20, 30)
	for _, q := range []int{0, 31} {
		if _, err := Truncated(t.Context(), a, q, Settings{}); !models.IsBadInput(err) {
			t.Errorf("%d components: %v", q, err)
		}
	}
	a.Values()[3] = math.NaN()
	if _, err := Truncated(t.Context(), a, 2, Settings{}); !models.IsBadInput(err) {
		t.Errorf("a value that is not a number: %v", err)
	}
	if _, err := Truncated(t.Context(), sparse.NewRows(0, 3, []int{0}, nil, nil), 2, Settings{}); !models.IsBadInput(err) {
		t.Error("no rows")
	}
}
