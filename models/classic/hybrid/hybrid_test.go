package hybrid

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep"
	"unfold/models/placing"
)

// bent returns n rows on a sheet bent in six dimensions, whose thirds are the classes. label
// contains the class of every third row.
func bent(n int, seed uint64) (x vec.Matrix[float32], label, truth []string) {
	rnd := rand.New(rand.NewPCG(seed, 3))
	x = vec.New[float32](n, 6)
	for i := range n {
		u, v := 4*(rnd.Float64()-.5), rnd.NormFloat64()
		for c := range 6 {
			x.Row(i)[c] = float32(math.Sin(u+float64(c)) + .4*v*math.Cos(float64(c)) + .05*rnd.NormFloat64())
		}
		truth = append(truth, []string{"left", "middle", "right"}[min(int((u+2)/4*3), 2)])
		label = append(label, "")
		if i%3 == 0 {
			label[i] = truth[i]
		}
	}
	return x, label, truth
}

func fitted(t *testing.T, threads int) *Fitted {
	t.Helper()
	x, label, _ := bent(90, 1)
	f, err := Fit(t.Context(), x, Settings{Common: models.Common{Labels: label, Steps: 30, Seed: 1, Threads: threads}, Inducing: 12}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// With labels for a third of the rows, the classes of rows that were not learnt are predicted.
// These rows are placed by their vectors alone. Learning increases the bound.
func TestFit(t *testing.T) {
	f := fitted(t, 2)
	if !slices.Equal(f.Names, []string{"left", "middle", "right"}) || f.Labelled != 30 || f.Negative > 0 {
		t.Errorf("classes %q of %d labels, %d visits left out", f.Names, f.Labelled, f.Negative)
	}
	for _, half := range [][]float64{f.Bound[:f.Joint], f.Bound[f.Joint:]} {
		if !slices.IsSorted(half) {
			t.Errorf("the bound falls: %.1f", half)
		}
	}
	x, _, _ := bent(90, 1)
	other, _, truth := bent(60, 2)
	mu, sigma2, err := f.learnt(2).Others(t.Context(), x, other, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := models.Placed{Mu: vec.Convert[float32](mu), Sigma: make([]float32, 60)}
	for i, v := range sigma2 {
		if !(v > 0 && v <= 1) {
			t.Fatalf("row %d has the variance %g", i, v)
		}
		at.Sigma[i] = float32(math.Sqrt(v))
	}
	did, err := f.Classifier().PredictNames(t.Context(), at, nil, true, 2)
	if err != nil {
		t.Fatal(err)
	}
	right, between := 0, 0.0
	for i, c := range did.Class {
		if c == truth[i] {
			right++
		} else {
			between = max(between, float64(did.Probability[i]))
		}
	}
	if right < 52 || between > .95 {
		t.Errorf("%d of 60 classes are right; a wrong one has the probability %g", right, between)
	}
}

// A vector with missing values has the place and the scale that a model of only the observed
// columns predicts.
func TestPlaceOfMissing(t *testing.T) {
	f, nan := fitted(t, 1), float32(math.NaN())
	x, _, _ := bent(90, 1)
	for _, observed := range [][]int{{0, 1, 3, 4, 5}, {2, 5}, {4}} {
		o, less := f.Observed, *f
		less.Units = placing.Units{Scale: f.Units.Scale}
		less.Observed = &ep.Observed{Kernel: o.Kernel, Z: o.Z, Spread: o.Spread, Precision: o.Precision, Weights: vec.New[float64](o.Z.Rows, len(observed))}
		z, holed := make([]float32, len(observed)), slices.Repeat([]float32{nan}, 6)
		for k, c := range observed {
			z[k], holed[c] = x.Row(11)[c], x.Row(11)[c]
			less.Units.Shift = append(less.Units.Shift, f.Units.Shift[c])
			for a := range o.Z.Rows {
				less.Observed.Weights.Row(a)[k] = o.Weights.Row(a)[c]
			}
		}
		less.Observed.Prepare()
		near := []int32{3, 40, 71}
		mu, sigma2, err := f.invite().Place(t.Context(), holed, near)
		want, variance, failed := less.invite().Place(t.Context(), z, near)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if vec.SquaredDistance(mu, want) > 1e-8 || math.Abs(sigma2-variance) > 1e-4*variance {
			t.Errorf("by columns %v it is at %v with %g, and without the others at %v with %g", observed, mu, sigma2, want, variance)
		}
	}
}

// Rows with missing values are learnt by the others. The missing values of learnt and of placed rows
// are filled in near the true ones, observed values stay, and the classes of rows are predicted.
// Threads do not matter.
func TestFitMissing(t *testing.T) {
	whole, label, truth := bent(120, 1)
	holes := holed(whole, func(i, c int) bool { return (7*i+3*c)%5 == 0 })
	learn := func(threads int) (*Fitted, vec.Matrix[float32]) {
		x := holes.Clone()
		f, err := Fit(t.Context(), x, Settings{Common: models.Common{Labels: label, Steps: 30, Seed: 1, Threads: threads}, Inducing: 12, Points: 90}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f, x
	}
	f, x := learn(2)
	if len(f.missing) == 0 || len(f.completed) == 0 || !slices.IsSorted(f.Bound[:f.Joint]) {
		t.Fatalf("%d values of learnt rows are missing, %d other rows have some, the bound is %.1f", len(f.missing), len(f.completed), f.Bound)
	}
	wrong, all := 0., 0.
	for i, v := range holes.Data {
		switch {
		case v != v:
			d, y := float64(x.Data[i]-whole.Data[i]), float64(whole.Data[i])
			wrong += d * d
			all += y * y
		case x.Data[i] != v:
			t.Fatalf("value %d was %g and is %g", i, v, x.Data[i])
		}
	}
	t.Logf("%.3f of the mean square of missing values is wrong", wrong/all)
	if !(wrong < .2*all) {
		t.Errorf("%.3f of the mean square of missing values is wrong", wrong/all)
	}
	mu, sigma2, err := f.PlaceAll(t.Context(), x, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := models.Placed{Mu: vec.Convert[float32](mu), Sigma: make([]float32, len(sigma2))}
	for i, v := range sigma2 {
		at.Sigma[i] = float32(math.Sqrt(v))
	}
	did, err := f.Classifier().PredictNames(t.Context(), at, nil, true, 2)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, c := range did.Class {
		if c == truth[i] {
			right++
		}
	}
	if right < 96 {
		t.Errorf("%d of 120 classes are right", right)
	}
	other, filled := learn(1)
	if !slices.Equal(filled.Data, x.Data) || !slices.Equal(other.In.Mu.Data, f.In.Mu.Data) {
		t.Error("with one thread the model or what is filled in differs")
	}
}

// The result does not depend on the number of threads.
func TestThreads(t *testing.T) {
	one, two := fitted(t, 1), fitted(t, 2)
	for k, p := range one.Parts() {
		if other := two.Parts()[k]; p.Name != other.Name || fmt.Sprint(p.Data) != fmt.Sprint(other.Data) {
			t.Errorf("part %s differs", p.Name)
		}
	}
}

// holed returns x without the values that missing names.
func holed(x vec.Matrix[float32], missing func(i, c int) bool) vec.Matrix[float32] {
	x = x.Clone()
	for i := range x.Rows {
		for c := range x.Cols {
			if missing(i, c) {
				x.Row(i)[c] = float32(math.NaN())
			}
		}
	}
	return x
}

// Data that cannot be learnt are an error with the reason.
func TestRefuses(t *testing.T) {
	x, label, _ := bent(30, 1)
	none, many := make([]string, 30), make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for name, c := range map[string]struct {
		x   vec.Matrix[float32]
		set Settings
		bad bool // an error of the data
	}{
		"no labels":        {x, Settings{Common: models.Common{Labels: none}}, true},
		"labels of others": {x, Settings{Common: models.Common{Labels: label[:9]}}, true},
		"few rows":         {x.Slice(0, 3), Settings{Common: models.Common{Labels: label[:3]}}, true},
		"few columns":      {x, Settings{Common: models.Common{Labels: label, Dims: 7}}, true},
		"a row of nothing": {holed(x, func(i, c int) bool { return i == 4 }), Settings{Common: models.Common{Labels: label}}, true},
		"an empty column":  {holed(x, func(i, c int) bool { return c == 2 }), Settings{Common: models.Common{Labels: label}}, true},
		"one point, holed": {holed(vec.New[float32](30, 6), func(i, c int) bool { return i == c }), Settings{Common: models.Common{Labels: many}}, true},
		"one point":        {vec.New[float32](30, 6), Settings{Common: models.Common{Labels: many}}, true},
		"dims":             {x, Settings{Common: models.Common{Labels: label, Dims: -1}}, false},
		"inducing":         {x, Settings{Common: models.Common{Labels: label}, Inducing: 1}, false},
	} {
		_, err := Fit(t.Context(), c.x, c.set, nil)
		if err == nil || errors.Is(err, models.ErrBadInput) != c.bad {
			t.Errorf("%s: %v", name, err)
		}
	}
}
