package pca

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
)

func TestFormOf(t *testing.T) {
	for _, c := range []struct {
		name      string
		n, dim, q int
		want      Form
	}{
		{"few rows of many columns", 300, 20_000, 50, Dual},
		{"rows as many as are formed", 2048, 20_000, 50, Dual},
		{"too many rows", 2049, 20_000, 50, Applied},
		{"embeddings of texts", 20_000, 3072, 256, Primal},
		{"more columns than are formed", 20_000, 4097, 256, Applied},
		{"a little more columns than are formed", 2000, 2049, 50, Dual},
		{"half as many rows", 300, 600, 50, Dual},
		{"more than half as many", 301, 600, 50, Primal},
		{"few columns", 10, 256, 50, Primal},
		{"images", 70_000, 784, 50, Primal},
		{"most components", 5000, 5000, 1500, Primal},
	} {
		if got := FormOf(c.n, c.dim, c.q); got != c.want {
			t.Errorf("%s: form %d, want %d", c.name, got, c.want)
		}
	}
}

// C is held once in single precision, twice in double precision, and three times where all eigenvectors
// are computed.
func TestBytesOfFormed(t *testing.T) {
	const mebibyte = 1 << 20
	for _, c := range []struct{ n, dim, q, least, most int }{
		{20_000, 3072, 256, 72, 110}, // 72 MiB each
		{20_000, 3072, 50, 72, 120},  // spaces of all powers
		{600, 1024, 100, 16, 24},     // in double precision, 8 MiB each
		{20_000, 1024, 800, 24, 24},  // all at once
		{20_000, 4097, 50, 20, 60},   // not formed
	} {
		if got := Bytes(c.n, c.dim, c.q); got < int64(c.least)*mebibyte || got > int64(c.most)*mebibyte {
			t.Errorf("%d of %d x %d: %d MiB, want %d to %d", c.q, c.n, c.dim, got/mebibyte, c.least, c.most)
		}
	}
}

// Few rows with 20,000 columns use the products of rows, which takes a second instead of minutes
// and has full accuracy.
func TestFewRowsOfManyColumns(t *testing.T) {
	const n, dim, q = 60, 20_000, 50
	r := rand.New(rand.NewPCG(9, 9))
	x := vec.New[float32](n, dim)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64())
	}
	p, err := Fit(context.Background(), x, q, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Iterations != 0 || p.Residual > 1e-12 {
		t.Errorf("%d rounds with a residual of %g, want none", p.Iterations, p.Residual)
	}
	orthonormalRows(t, p.Components)
	whole, err := Fit(context.Background(), x, n-1, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, v := range whole.Variance {
		sum += v
	}
	if math.Abs(sum-whole.Total) > 1e-9*whole.Total {
		t.Errorf("the variances of all %d components sum to %g, want the total %g", n-1, sum, whole.Total)
	}
}

// The products of rows and the covariance of columns give the same components for data of any rank:
// the same vectors and signs where variances differ, and orthonormal vectors always.
func TestDualAgreesWithPrimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(1, 60).Draw(t, "columns")
		q := rapid.IntRange(1, dim).Draw(t, "components")
		rank := rapid.IntRange(0, 8).Draw(t, "rank")
		scale := math.Pow(10, float64(rapid.IntRange(-12, 12).Draw(t, "scale")))
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x := lowRank(r, n, dim, rank, scale)
		c := &covariance{x: x, mean: mean(x, 0)}
		got, err := dual(context.Background(), c, q, Settings{Tolerance: 1e-5})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.form(context.Background()); err != nil {
			t.Fatal(err)
		}
		want, err := dense(c, q)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, got, want)
	})
}

// lowRank makes rows of at most the given rank around a mean.
func lowRank(r *rand.Rand, n, dim, rank int, scale float64) vec.Matrix[float32] {
	base := make([]float64, rank*dim)
	for i := range base {
		base[i] = r.NormFloat64()
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		row := make([]float64, dim)
		for k := range rank {
			vec.Axpy(r.NormFloat64()/float64(1+k), base[k*dim:(k+1)*dim], row)
		}
		for j, v := range row {
			x.Row(i)[j] = float32(scale * (v + float64(j%3)))
		}
	}
	return x
}

// compare checks variances, and compares components up to sign where their variances are distinct.
func compare(t *rapid.T, got, want *PCA) {
	first := want.Variance[0]
	if got.Residual > 1e-10 {
		t.Fatalf("residual %g", got.Residual)
	}
	for k, v := range want.Variance {
		if d := math.Abs(got.Variance[k] - v); d > 1e-12*first {
			t.Fatalf("variance %d is %g, want %g", k, got.Variance[k], v)
		}
		for l := range k + 1 {
			same := 0.0
			if l == k {
				same = 1
			}
			if d := vec.Dot(got.Components.Row(k), got.Components.Row(l)) - same; math.Abs(d) > 1e-6 {
				t.Fatalf("components %d and %d: product is off by %g", k, l, d)
			}
		}
		apart := v > 1e-3*first && (k == 0 || want.Variance[k-1]-v > 1e-3*first) && (k+1 == len(want.Variance) || v-want.Variance[k+1] > 1e-3*first)
		if cos := math.Abs(vec.Dot(got.Components.Row(k), want.Components.Row(k))); apart && 1-cos > 1e-6 {
			t.Fatalf("component %d: |cosine| is 1 - %g", k, 1-cos)
		}
	}
}

func TestDualDoesNotDependOnThreads(t *testing.T) {
	x := cloud(8, 270, 800, 0.99)
	var want *PCA
	for _, procs := range []int{1, 2, 5} {
		old := runtime.GOMAXPROCS(procs)
		p, err := Fit(context.Background(), x, 9, Settings{Threads: procs})
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = p
		}
		if p.Iterations == 0 {
			t.Error("not by iteration")
		}
		if !slices.Equal(p.Components.Data, want.Components.Data) || !slices.Equal(p.Variance, want.Variance) {
			t.Errorf("%d threads give other bits than one", procs)
		}
	}
	agree(t, want, x, 9, 1e-6)
}

// The predicted time for few rows with many columns is about right: a second.
func TestRates(t *testing.T) {
	r := MeasureRates(0)
	if !(r.Product > 0 && r.Turn > 0 && r.Dense > 0) {
		t.Fatalf("rates %+v", r)
	}
	narrow, wide := r.Seconds(300, 20_000, 50), r.Seconds(300, 40_000, 50)
	if !(narrow > 0 && wide > narrow && wide < 2*narrow) {
		t.Errorf("300 rows of 20,000 columns: %g s predicted, of 40,000 %g s: not in proportion", narrow, wide)
	}
	if few, many := Bytes(300, 20_000, 50), Bytes(300, 40_000, 50); !(many > few && many < 2*few && few < 64<<20) {
		t.Errorf("%d and %d bytes predicted", few, many)
	}
}
