package ep

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models/psi"
)

// spiral returns a hybrid model of n points on an arc in the plane, seen in five dimensions with
// noise. There are two classes, known for every k-th point (0: none).
func spiral(n, k int) (*Hybrid, []float64) {
	rnd := rand.New(rand.NewPCG(5, 6))
	h := &Hybrid{In: psi.Inputs{Mu: vec.New[float64](n, 2), S: vec.New[float64](n, 2)}, Threads: 2}
	d := &Data{Kernel: psi.Kernel{Variance: 1, Alpha: []float64{1, 1}}, Z: vec.New[float64](8, 2), Y: vec.New[float64](n, 5), Precision: 10}
	c := &Classes{Kernel: psi.Kernel{Variance: 2, Alpha: []float64{1, 1}}, Z: vec.New[float64](8, 2), Y: vec.New[float64](n, 1)}
	truth := make([]float64, n)
	for i := range n {
		t := 4 * (rnd.Float64() - .5)
		truth[i] = math.Copysign(1, math.Sin(2*t))
		for j := range 5 {
			d.Y.Row(i)[j] = math.Sin(t+float64(j)) + .1*rnd.NormFloat64()
		}
		h.In.Mu.Row(i)[0], h.In.Mu.Row(i)[1] = t/1.2+.2*rnd.NormFloat64(), rnd.NormFloat64()
		h.In.S.Row(i)[0], h.In.S.Row(i)[1] = .2, .2
		if c.Y.Row(i)[0] = math.NaN(); k > 0 && i%k == 0 {
			c.Y.Row(i)[0] = truth[i]
		}
	}
	copy(d.Z.Data, h.In.Mu.Data)
	copy(c.Z.Data, h.In.Mu.Data)
	h.Data, h.Classes = d, c
	return h, truth
}

// With some, all and no labels, learning raises the bound. Labels of some points predict those of
// the others.
func TestHybrid(t *testing.T) {
	for _, k := range []int{0, 4, 1} {
		h, truth := spiral(60, k)
		r, err := h.Learn(context.Background(), LearnSettings{Rounds: 4, Steps: 15})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Bound) != 5 || r.Bound[4] < r.Bound[0]+50 || r.Negative > 0 {
			t.Errorf("every %d-th label: %+v", k, r)
		}
		all, err := h.Sparse()
		if err != nil {
			t.Fatal(err)
		}
		mean, variance := vec.New[float64](60, 1), vec.New[float64](60, 1)
		NewJoint(all).Predict(mean, variance, h.In, 2)
		wrong := 0
		for i, y := range truth {
			if y*mean.Data[i] < 0 {
				wrong++
			}
			if k == 0 && mean.Data[i] != 0 {
				t.Fatalf("without labels point %d has the mean %g", i, mean.Data[i])
			}
		}
		if k > 0 && wrong > 9 {
			t.Errorf("every %d-th label: %d of 60 wrong", k, wrong)
		}
	}
}

// The gradients of the free parameters are those of the bound.
func TestHybridSlopes(t *testing.T) {
	for k, set := range []LearnSettings{{}, {FixInputs: true}, {}} {
		h, _ := spiral(12, 2)
		if k == 2 {
			holed(h.Data)
		}
		if _, err := h.sweep(10); err != nil {
			t.Fatal(err)
		}
		g := h.newSlopes()
		free := h.free(g, set)
		x, grad := make([]float64, free.len()), make([]float64, free.len())
		free.get(x)
		value := func(x []float64, g *slopes) float64 {
			free.set(x)
			v, err := h.bound(g, set)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		value(x, g)
		free.slopes(grad)
		const step = 1e-5
		for i := range x {
			was := x[i]
			x[i] = was + step
			up := value(x, nil)
			x[i] = was - step
			down := value(x, nil)
			x[i] = was
			if want := (up - down) / (2 * step); math.Abs(grad[i]-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("%+v: slope %d is %g, want %g", set, i, grad[i], want)
			}
		}
	}
}

// Functions predicted together have the same predictions as alone.
func TestJoint(t *testing.T) {
	h, truth := spiral(60, 1)
	h.Classes.Y = vec.New[float64](60, 2)
	for i, y := range truth {
		h.Classes.Y.Row(i)[0], h.Classes.Y.Row(i)[1] = y, math.Copysign(1, h.In.Mu.Row(i)[1])
	}
	if _, err := h.sweep(5); err != nil {
		t.Fatal(err)
	}
	all, err := h.Sparse()
	if err != nil {
		t.Fatal(err)
	}
	mean, variance := vec.New[float64](60, 2), vec.New[float64](60, 2)
	NewJoint(all).Predict(mean, variance, h.In, 2)
	for c, s := range all {
		m, v := make([]float64, 60), make([]float64, 60)
		s.Predictor().Predict(m, v, h.In)
		for i := range m {
			if math.Abs(m[i]-mean.Row(i)[c]) > 1e-9 || math.Abs(v[i]-variance.Row(i)[c]) > 1e-8 {
				t.Fatalf("function %d of input %d: %g, %g together, %g, %g alone", c, i, mean.Row(i)[c], variance.Row(i)[c], m[i], v[i])
			}
		}
	}
}

// A step is too long if the noise then explains all data.
func TestVanishingPrecision(t *testing.T) {
	h, _ := spiral(20, 2)
	if _, err := h.sweep(3); err != nil {
		t.Fatal(err)
	}
	for _, precision := range []float64{0, math.Inf(1)} {
		h.Data.Precision = precision
		if v, err := h.bound(nil, LearnSettings{}); err == nil && !math.IsNaN(v) {
			t.Errorf("the bound at a precision of %g is %g", precision, v)
		}
	}
}

// A vector that was learnt gets about its own input back, where the bound is not smaller than around it,
// and the input leads to about the vector.
func TestInference(t *testing.T) {
	h, _ := spiral(60, 2)
	if _, err := h.Learn(context.Background(), LearnSettings{Rounds: 4, Steps: 15}); err != nil {
		t.Fatal(err)
	}
	o, err := h.Observed()
	if err != nil {
		t.Fatal(err)
	}
	f, y := o.Inference(), make([]float64, 5)
	for _, i := range []int{0, 17, 42} {
		f.Look(h.Data.Y.Row(i))
		mu, s := []float64{0, 0}, []float64{.1, .1}
		copy(mu, h.In.Mu.Row((i+1)%60))
		if err := f.Infer(context.Background(), mu, s); err != nil {
			t.Fatal(err)
		}
		best := f.Bound(mu, s)
		if own := f.Bound(h.In.Mu.Row(i), h.In.S.Row(i)); own > best+.5 {
			t.Errorf("vector %d: bound %g at %g, and %g where it was learnt, %g", i, best, mu, own, h.In.Mu.Row(i))
		}
		for q := range mu {
			for _, step := range []float64{-.05, .05} {
				moved, wider := []float64{mu[0], mu[1]}, []float64{s[0], s[1]}
				moved[q] += step
				wider[q] *= math.Exp(4 * step)
				if f.Bound(moved, s) > best+.02 || f.Bound(mu, wider) > best+.02 {
					t.Errorf("vector %d: there is a better input beside %g, %g", i, mu, s)
				}
			}
		}
		if variance := f.Decode(y, mu); variance > .05 {
			t.Errorf("vector %d: variance %g", i, variance)
		}
		for j, v := range y {
			if math.Abs(v-h.Data.Y.Row(i)[j]) > .4 {
				t.Errorf("vector %d: element %d is %g, decoded %g", i, j, h.Data.Y.Row(i)[j], v)
			}
		}
	}
}
