package pca

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
)

// tallest returns enough rows and columns for single precision. The standard deviation along
// mirrored(j) is unit times the j-th power of fall.
func tallest(fall, unit float64) vec.Matrix[float32] {
	const dim = 300
	r := rand.New(rand.NewPCG(8, 8))
	x := vec.New[float32](manyProducts/(dim*dim)+1, dim)
	scale, row := make([]float64, dim), make([]float64, dim)
	for j := range scale {
		scale[j] = unit * math.Pow(fall, float64(j))
	}
	for i := range x.Rows {
		var sum float64
		for j, s := range scale {
			row[j] = s * r.NormFloat64()
			sum += row[j]
		}
		for j, v := range row {
			x.Row(i)[j] = float32(v - 2*sum/dim + unit*float64(j%7))
		}
	}
	return x
}

// mirrored returns element i of axis j after reflection in the hyperplane across the diagonal.
func mirrored(i, j, dim int) float64 {
	if i == j {
		return 1 - 2/float64(dim)
	}
	return -2 / float64(dim)
}

// Single precision gives the covariance of double precision within its stated error, and its
// components solve the eigenvalue problem of the latter.
func TestSinglePrecision(t *testing.T) {
	const q = 12
	x := tallest(0.97, 30)
	p, err := Fit(context.Background(), x, q, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	c := &covariance{x: x, mean: mean(x, 0)}
	c.total = c.trace()
	if !c.harmless() {
		t.Fatal("this is meant to be a case for single precision")
	}
	if err := c.formSingle(context.Background()); err != nil {
		t.Fatal(err)
	}
	single := c.gram
	if err := c.formDouble(context.Background()); err != nil {
		t.Fatal(err)
	}
	var worst float64
	for k := range x.Cols {
		for l := range k + 1 {
			size := math.Sqrt(c.gram.At(k, k) * c.gram.At(l, l))
			worst = max(worst, math.Abs(single.At(k, l)-c.gram.At(k, l))/size)
		}
	}
	t.Logf("largest error of an element: %.2g of sqrt(C_kk C_ll)", worst)
	if worst > 1e-6 {
		t.Errorf("an element of the covariance errs by %g of sqrt(C_kk C_ll), want 1e-6 at most", worst)
	}
	orthonormalRows(t, p.Components)
	for k := range q {
		v := p.Components.Row(k)
		var sum float64
		for i := range x.Cols {
			d := -p.Variance[k] * float64(v[i])
			for j := range x.Cols {
				d += c.gram.At(i, j) * float64(v[j])
			}
			sum += d * d
		}
		if r := math.Sqrt(sum) / p.Variance[0]; r > 1.2e-5 {
			t.Errorf("component %d: residual %g with the covariance in double precision", k, r)
		}
	}
}

// Components with too little variance for single precision are computed in double precision.
func TestSmallVariancesAreInDoublePrecision(t *testing.T) {
	const q = 12
	x := tallest(0.5, 1)
	c := &covariance{x: x, mean: mean(x, 0)}
	c.total = c.trace()
	p, err := solve(context.Background(), c, q, Settings{Tolerance: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	if c.single {
		t.Error("the covariance is in single precision")
	}
	for k := range q {
		if want := math.Pow(0.25, float64(k)); math.Abs(p.Variance[k]/want-1) > 0.05 {
			t.Errorf("variance %d is %g, want about %g", k, p.Variance[k], want)
		}
		var dot float64
		for i, v := range p.Components.Row(k) {
			dot += float64(v) * mirrored(i, k, x.Cols)
		}
		if math.Abs(dot) < 0.999 {
			t.Errorf("component %d has a cosine of %g with axis %d", k, dot, k)
		}
	}
}

// Values outside the range of float32 products, and small problems, use double precision.
func TestHarmless(t *testing.T) {
	many, few := vec.New[float32](30000, 300), vec.New[float32](300, 300)
	for _, c := range []struct {
		x     vec.Matrix[float32]
		total float64
		want  bool
	}{
		{many, 1, true}, {few, 1, false}, {many, 0, false}, {many, 0x1p-61, false},
		{many, 0x1p103, true}, {many, 0x1p104, false}, {many, math.Inf(1), false},
	} {
		if got := (&covariance{x: c.x, total: c.total}).harmless(); got != c.want {
			t.Errorf("%d rows, variance %g: harmless is %v", c.x.Rows, c.total, got)
		}
	}
}

func TestSinglePrecisionStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := vec.New[float32](2, 2)
	c := &covariance{x: x, mean: mean(x, 0)}
	if err := c.formSingle(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
