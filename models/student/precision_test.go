package student_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/coarse/farfield"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models/modeltest"
	"unfold/models/pca"
	"unfold/models/score"
	. "unfold/models/student"
	"unfold/sparse/knn"
)

// digitProblem returns the problem of 4,000 digits in d dimensions, with cells, and its start.
func digitProblem(t *testing.T, d int) (*Problem, *State, []int32) {
	t.Helper()
	ctx := context.Background()
	x, class, test, testClass := modeltest.Digits(t)
	x.Rows, x.Data = x.Rows+test.Rows, append(x.Data, test.Data...)
	pca, err := pca.Fit(ctx, x, 50, pca.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	z := pca.Projector().Apply(x, 0)
	nb, err := knn.Graph(ctx, z, 6, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	p := NewProblem(nb, 6, Native)
	p.Field = farfield.NewCells(p.Bandwidth2, d, farfield.CellSettings{})
	st, err := Start(ctx, z, d, StartSettings{})
	if err != nil {
		t.Fatal(err)
	}
	return p, st, append(class, testClass...)
}

// apart is the root mean square distance of two maps after the best rigid motion
// (Procrustes), as a share of the diameter: with the centred matrices A and B,
// |A|^2 + |B|^2 - 2 (sum of the singular values of A'B).
func apart(t *testing.T, a, b vec.Matrix[float64]) float64 {
	t.Helper()
	n, d := a.Rows, a.Cols
	x, y := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil)
	for c := range d {
		var ma, mb float64
		for i := range n {
			ma, mb = ma+a.Row(i)[c]/float64(n), mb+b.Row(i)[c]/float64(n)
		}
		for i := range n {
			x.Set(i, c, a.Row(i)[c]-ma)
			y.Set(i, c, b.Row(i)[c]-mb)
		}
	}
	var cross mat.Dense
	cross.Mul(x.T(), y)
	var svd mat.SVD
	if !svd.Factorize(&cross, mat.SVDNone) {
		t.Fatal("no singular values")
	}
	square := func(m *mat.Dense) float64 { return math.Pow(mat.Norm(m, 2), 2) }
	rest := square(x) + square(y)
	for _, s := range svd.Values(nil) {
		rest -= 2 * s
	}
	var radius float64
	for i := range n {
		radius = max(radius, mat.Norm(y.RowView(i), 2))
	}
	return math.Sqrt(max(0, rest)/float64(n)) / (2 * radius)
}

// TestPrecisions: maps learnt with repulsion in single precision (ModelSettings.Single) agree with
// double precision, after ten steps and at the end.
func TestPrecisions(t *testing.T) {
	tier.Full(t, "it learns 4,000 digits several times")
	for _, d := range []int{2, 3} {
		t.Run(fmt.Sprintf("d=%d", d), func(t *testing.T) { precisions(t, d) })
	}
}

func precisions(t *testing.T, d int) {
	ctx := context.Background()
	p, start, class := digitProblem(t, d)
	learn := func(s ModelSettings) (st *State, loglik float64, accuracy []float64) {
		m, err := NewModel(p, d, s)
		if err != nil {
			t.Fatal(err)
		}
		st = start.Clone()
		r, err := m.Learn(ctx, st, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := score.LeaveOneOut(ctx, vec.Convert[float32](st.Mu), class, []int{1, 9}, score.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		return st, r.Loglik, a.Share
	}
	for _, c := range []struct {
		steps                   int // 0 for all
		loglik, place, accuracy float64
	}{
		{10, 1e-5, 5e-5, 0.001},
		{0, 1e-4, 1e-2, 0.005},
	} {
		double, loglik64, accuracy64 := learn(ModelSettings{Steps: c.steps})
		single, loglik32, accuracy32 := learn(ModelSettings{Steps: c.steps, Single: true})
		off := math.Abs(loglik32/loglik64 - 1)
		moved := apart(t, single.Mu, double.Mu)
		t.Logf("steps %d: likelihoods apart by %.1g, maps by %.1g of the diameter, accuracies %.4f and %.4f", c.steps, off, moved, accuracy64, accuracy32)
		if !(off <= c.loglik) || !(moved <= c.place) {
			t.Errorf("steps %d: likelihoods are apart by %g, maps by %g of the diameter, want at most %g and %g", c.steps, off, moved, c.loglik, c.place)
		}
		for k := range accuracy64 {
			if math.Abs(accuracy64[k]-accuracy32[k]) > c.accuracy {
				t.Errorf("steps %d: accuracies %.4f and %.4f", c.steps, accuracy64, accuracy32)
			}
		}
	}
}
