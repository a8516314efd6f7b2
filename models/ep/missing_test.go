package ep

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models/psi"
)

// nodes calls f with the nodes of a trapezoidal rule in the plane and their weights under the input
// N(mu, diag s).
func nodes(mu, s []float64, f func(x []float64, weight float64)) {
	const n, far = 20, 7.
	total, x := 0., make([]float64, 2)
	density := func(i, j int) float64 {
		a, b := far*float64(i)/n, far*float64(j)/n
		return math.Exp(-(a*a + b*b) / 2)
	}
	for i := -n; i <= n; i++ {
		for j := -n; j <= n; j++ {
			total += density(i, j)
		}
	}
	for i := -n; i <= n; i++ {
		for j := -n; j <= n; j++ {
			x[0], x[1] = mu[0]+math.Sqrt(s[0])*far*float64(i)/n, mu[1]+math.Sqrt(s[1])*far*float64(j)/n
			f(x, density(i, j)/total)
		}
	}
}

// quadrature is the posterior of the data's processes at the inducing inputs, from matrices whose
// expectations are computed by quadrature.
type quadrature struct {
	d              *Data
	inverse, reach *mat.Dense // Kuu^-1, and A^-1 of A = Kuu + beta sum_n Psi2n
	mean           *mat.Dense // A^-1 Psi1' Y beta
}

func (d *quadrature) covariances(x []float64) *mat.VecDense {
	k := mat.NewVecDense(d.d.Z.Rows, nil)
	for a := range d.d.Z.Rows {
		sum := 0.
		for q, v := range d.d.Z.Row(a) {
			sum += d.d.Kernel.Alpha[q] * (x[q] - v) * (x[q] - v)
		}
		k.SetVec(a, d.d.Kernel.Variance*math.Exp(-sum/2))
	}
	return k
}

func quadratureOf(t *testing.T, d *Data, in psi.Inputs) *quadrature {
	t.Helper()
	m, n := d.Z.Rows, d.Y.Rows
	out := &quadrature{d: d, inverse: new(mat.Dense), reach: new(mat.Dense), mean: new(mat.Dense)}
	kuu, a, first := mat.NewDense(m, m, nil), mat.NewDense(m, m, nil), mat.NewDense(n, m, nil)
	for i := range m {
		kuu.SetRow(i, out.covariances(d.Z.Row(i)).RawVector().Data)
	}
	a.Copy(kuu)
	for i := range n {
		nodes(in.Mu.Row(i), in.S.Row(i), func(x []float64, weight float64) {
			k := out.covariances(x)
			var outer mat.Dense
			outer.Outer(weight*d.Precision, k, k)
			a.Add(a, &outer)
			for c := range m {
				first.Set(i, c, first.At(i, c)+weight*k.AtVec(c))
			}
		})
	}
	if err := out.inverse.Inverse(kuu); err != nil {
		t.Fatal(err)
	}
	if err := out.reach.Inverse(a); err != nil {
		t.Fatal(err)
	}
	var b mat.Dense
	b.Mul(first.T(), mat.NewDense(n, d.Y.Cols, d.Y.Data))
	b.Scale(d.Precision, &b)
	out.mean.Mul(out.reach, &b)
	return out
}

// gain is the expected log-likelihood of the observed elements of y minus the divergence from the
// prior, up to a constant.
func (d *quadrature) gain(y, mu, s []float64) (sum float64) {
	nodes(mu, s, func(x []float64, weight float64) {
		k := d.covariances(x)
		variance := d.d.Kernel.Variance - mat.Inner(k, d.inverse, k) + mat.Inner(k, d.reach, k)
		for c, v := range y {
			if v == v {
				f := mat.Dot(k, d.mean.ColView(c))
				sum -= weight * d.d.Precision / 2 * ((v-f)*(v-f) + variance)
			}
		}
	})
	for q, v := range s {
		sum -= (v + mu[q]*mu[q] - 1 - math.Log(v)) / 2
	}
	return sum
}

// The bound of a vector with missing elements is that of the others, and equals the bound from
// dense matrices. The inferred input maximizes it. An Inference can be reused for another pattern.
func TestInferenceOfMissing(t *testing.T) {
	h, _ := spiral(40, 0)
	h.Classes = nil
	if _, err := h.Learn(context.Background(), LearnSettings{Rounds: 3, Steps: 15}); err != nil {
		t.Fatal(err)
	}
	o, err := h.Observed()
	if err != nil {
		t.Fatal(err)
	}
	d, nan := quadratureOf(t, h.Data, h.In), math.NaN()
	f := o.Inference()
	for _, missing := range [][]int{{1}, {0, 2, 4}, nil, {0, 1, 2, 3}, {3}} {
		y := append([]float64(nil), h.Data.Y.Row(7)...)
		for _, c := range missing {
			y[c] = nan
		}
		f.Look(y)
		at, s := []float64{.3, -.2}, []float64{.15, .4}
		other, wide := []float64{-.7, .5}, []float64{.3, .1}
		got, want := f.Bound(at, s)-f.Bound(other, wide), d.gain(y, at, s)-d.gain(y, other, wide)
		if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("without %v the bound differs by %.10g between two inputs, by dense matrices %.10g", missing, got, want)
		}
		if err := f.Infer(context.Background(), at, s); err != nil {
			t.Fatal(err)
		}
		best := d.gain(y, at, s)
		for q := range at {
			for _, step := range []float64{-.1, .1} {
				moved, wider := append([]float64(nil), at...), append([]float64(nil), s...)
				moved[q] += step
				wider[q] *= math.Exp(4 * step)
				if d.gain(y, moved, s) > best+.02 || d.gain(y, at, wider) > best+.02 {
					t.Errorf("without %v there is a better input beside %g, %g", missing, at, s)
				}
			}
		}
	}
	// Without any element the input is that of the prior.
	f.Look([]float64{nan, nan, nan, nan, nan})
	at, s := []float64{.3, -.2}, []float64{.15, .4}
	if err := f.Infer(context.Background(), at, s); err != nil || vec.SquaredNorm(at) > 1e-3 || math.Abs(s[0]-1) > .05 || math.Abs(s[1]-1) > .05 {
		t.Errorf("nothing is observed: input %g, %g, %v", at, s, err)
	}
}
