package kernel

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
)

type fixture struct {
	Kind   string         `json:"kind"`
	Parts  []string       `json:"parts"`
	Params []float64      `json:"params"`
	Free   []float64      `json:"params_unconstrained"`
	X      fixtures.Dense `json:"X"`
	X2     fixtures.Dense `json:"X2"`
	K      fixtures.Dense `json:"K"`
	KCross fixtures.Dense `json:"K_cross"`
	KDiag  []float64      `json:"K_diag"`
	W      fixtures.Dense `json:"W"`
	WCross fixtures.Dense `json:"W_cross"`
	WDiag  []float64      `json:"w_diag"`

	GradParams      []float64      `json:"grad_params"`
	GradX           fixtures.Dense `json:"grad_X"`
	GradParamsCross []float64      `json:"grad_params_cross"`
	GradXCross      fixtures.Dense `json:"grad_X_cross"`
	GradParamsDiag  []float64      `json:"grad_params_diag"`
	GradXDiag       fixtures.Dense `json:"grad_X_diag"`
}

// kernel returns the kernel of a fixture, which writes lin for linear.
func (f *fixture) kernel(t *testing.T) *Kernel {
	var parts []Part
	for _, name := range f.Parts {
		part, ok := byName(strings.Replace(name, "lin", "linear", 1))
		if !ok {
			t.Fatalf("no kernel %q", name)
		}
		parts = append(parts, part)
	}
	return New(parts...)
}

func TestFixtures(t *testing.T) {
	ran := 0
	fixtures.Each(t, "gplvm", func(t *testing.T, f *fixture) {
		if f.Kind != "kernel" {
			return // of another package
		}
		ran++
		f.run(t)
	})
	if ran == 0 {
		t.Error("there is no file of a kernel")
	}
}

const (
	value    = 1e-12
	gradient = 1e-10
)

func (f *fixture) run(t *testing.T) {
	k := f.kernel(t)
	free, back := make([]float64, k.Len()), make([]float64, k.Len())
	Free(free, f.Params)
	fixtures.Close(t, "free parameters", free, f.Free, value)
	Positive(back, free)
	fixtures.Close(t, "and back", back, f.Params, value)

	n, m := f.X.Rows, f.X2.Rows
	all, cross := vec.New[float64](n, n), vec.New[float64](n, m)
	k.Matrix(all, f.Params, f.X.Matrix, 2)
	fixtures.Close(t, "K", all.Data, f.K.Data, value)
	k.Cross(cross, f.Params, f.X.Matrix, f.X2.Matrix, 2)
	fixtures.Close(t, "K_cross", cross.Data, f.KCross.Data, value)
	diag := make([]float64, n)
	for i := range diag {
		diag[i] = k.Self(f.Params, f.X.Row(i))
	}
	fixtures.Close(t, "K_diag", diag, f.KDiag, value)

	dp, dx := make([]float64, k.Len()), vec.New[float64](n, f.X.Cols)
	k.Gradient(dp, dx, f.W.Matrix, f.Params, f.X.Matrix, 2)
	fixtures.Close(t, "gradient of K in the parameters", dp, f.GradParams, gradient)
	fixtures.Close(t, "gradient of K in X", dx.Data, f.GradX.Data, gradient)
	dp, dx = make([]float64, k.Len()), vec.New[float64](n, f.X.Cols)
	k.GradientCross(dp, dx, f.WCross.Matrix, f.Params, f.X.Matrix, f.X2.Matrix, 2)
	fixtures.Close(t, "gradient of K_cross in the parameters", dp, f.GradParamsCross, gradient)
	fixtures.Close(t, "gradient of K_cross in X", dx.Data, f.GradXCross.Data, gradient)
	dp, dx = make([]float64, k.Len()), vec.New[float64](n, f.X.Cols)
	for i := range n {
		k.GradientSelf(dp, dx.Row(i), f.WDiag[i], f.Params, f.X.Row(i))
	}
	fixtures.Close(t, "gradient of K_diag in the parameters", dp, f.GradParamsDiag, gradient)
	fixtures.Close(t, "gradient of K_diag in X", dx.Data, f.GradXDiag.Data, gradient)
}

// For every part, the gradients agree with central differences, and Parse accepts the name.
func TestGradients(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := []Part{RBF{}, Linear{}, MLP{}, Bias{}, White{}}
		k := New(rapid.SampledFrom(all).Draw(rt, "a"), rapid.SampledFrom(all).Draw(rt, "b"))
		if again, err := Parse(k.String()); err != nil || again.String() != k.String() {
			rt.Fatalf("%q is read as %v (%v)", k, again, err)
		}
		theta := make([]float64, k.Len())
		for i := range theta {
			theta[i] = rapid.Float64Range(0.1, 3).Draw(rt, "theta")
		}
		const n, q = 4, 2
		x, w := vec.New[float64](n, q), vec.New[float64](n, n)
		for i := range x.Data {
			x.Data[i] = rapid.Float64Range(-2, 2).Draw(rt, "x")
		}
		for i := range n {
			for j := range i + 1 {
				v := rapid.Float64Range(-1, 1).Draw(rt, "w")
				w.Row(i)[j], w.Row(j)[i] = v, v
			}
		}
		f := func() float64 {
			m := vec.New[float64](n, n)
			k.Matrix(m, theta, x, 1)
			return vec.Dot(m.Data, w.Data)
		}
		dp, dx := make([]float64, k.Len()), vec.New[float64](n, q)
		k.Gradient(dp, dx, w, theta, x, 1)
		lower := w.Clone()
		for i := range n {
			for j := i + 1; j < n; j++ {
				lower.Row(i)[j] = math.NaN()
			}
		}
		dp2, dx2 := make([]float64, k.Len()), vec.New[float64](n, q)
		k.GradientLower(dp2, dx2, lower, theta, x, 1)
		for i, v := range append(dp2, dx2.Data...) {
			if want := append(dp[:len(dp):len(dp)], dx.Data...)[i]; math.Abs(v-want) > 1e-9*(1+math.Abs(want)) {
				rt.Errorf("%v: derivative %d of the lower triangle is %g, want %g", k, i, v, want)
			}
		}
		check := func(what string, at *float64, got float64) {
			const h = 1e-5
			old := *at
			*at = old + h
			up := f()
			*at = old - h
			down := f()
			*at = old
			if want := (up - down) / (2 * h); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				rt.Errorf("%v: derivative in %s is %g, want %g", k, what, got, want)
			}
		}
		for i := range theta {
			check(k.Names()[i], &theta[i], dp[i])
		}
		for i := range x.Data {
			check("x", &x.Data[i], dx.Data[i])
		}
	})
}

func TestParseNamesTheChoice(t *testing.T) {
	for _, name := range []string{"", "rbf+", "gauss"} {
		if _, err := Parse(name); err == nil || !strings.Contains(err.Error(), "rbf+bias+white") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
