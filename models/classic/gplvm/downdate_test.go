package gplvm

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models/classic/kernel"
)

// The likelihood and the gradient of outputs with missing values are those of each output by itself,
// over the rows in which it is observed, whether few or many rows are missing.
func TestMissingOutputs(t *testing.T) {
	const n = 60
	rnd := rand.New(rand.NewPCG(3, 7))
	k, err := kernel.Parse("rbf+bias+white")
	if err != nil {
		t.Fatal(err)
	}
	theta := []float64{.8, 1.2, .3, .05}
	x, y := vec.New[float64](n, 2), vec.New[float64](n, 6)
	for i := range n {
		x.Row(i)[0], x.Row(i)[1] = rnd.NormFloat64(), rnd.NormFloat64()
		for c := range y.Cols {
			y.Row(i)[c] = math.Sin(x.Row(i)[0]+float64(c)) + .2*rnd.NormFloat64()
			// Of the first column no row is missing, of the next two the same, of the last 70 %.
			share := []float64{0, .1, .1, .3, .45, .7}[c]
			if c == 2 && math.IsNaN(y.Row(i)[1]) || c != 2 && rnd.Float64() < share {
				y.Row(i)[c] = math.NaN()
			}
		}
	}
	m, err := New(k, y, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.patterns) != 5 || m.patterns[0].rows != nil || m.patterns[4].downdated(n) || !m.patterns[3].downdated(n) {
		t.Fatalf("%d patterns", len(m.patterns))
	}
	got := &Value{Theta: make([]float64, k.Len()), X: vec.New[float64](n, 2)}
	if err := m.Evaluate(got, theta, x); err != nil {
		t.Fatal(err)
	}
	want, slope, theta2 := 0.0, vec.New[float64](n, 2), make([]float64, k.Len())
	for c := range y.Cols {
		var rows []int32
		for i := range n {
			if v := y.Row(i)[c]; v == v {
				rows = append(rows, int32(i))
			}
		}
		column := vec.New[float64](len(rows), 1)
		for r, i := range rows {
			column.Data[r] = y.Row(int(i))[c]
		}
		alone, err := New(k, column, 1)
		if err != nil {
			t.Fatal(err)
		}
		v := &Value{Theta: make([]float64, k.Len()), X: vec.New[float64](len(rows), 2)}
		if err := alone.Evaluate(v, theta, vec.Take(x, rows)); err != nil {
			t.Fatal(err)
		}
		want += v.LogLik
		vec.Axpy(1, v.Theta, theta2)
		for r, i := range rows {
			vec.Axpy(1, v.X.Row(r), slope.Row(int(i)))
			vec.Axpy(1, x.Row(int(i)), slope.Row(int(i))) // without the prior
		}
	}
	for i, v := range x.Data {
		slope.Data[i] -= v
	}
	if math.Abs(got.LogLik-want) > 1e-9*math.Abs(want) {
		t.Errorf("the likelihood is %.12g, by outputs %.12g", got.LogLik, want)
	}
	for i, v := range slope.Data {
		if math.Abs(got.X.Data[i]-v) > 1e-8*(1+math.Abs(v)) {
			t.Fatalf("slope %d is %.12g, by outputs %.12g", i, got.X.Data[i], v)
		}
	}
	for i, v := range theta2 {
		if math.Abs(got.Theta[i]-v) > 1e-8*(1+math.Abs(v)) {
			t.Errorf("slope of parameter %d is %.12g, by outputs %.12g", i, got.Theta[i], v)
		}
	}
	value := &Value{}
	if err := m.Evaluate(value, theta, x); err != nil || math.Abs(value.LogLik-got.LogLik) > 1e-10*math.Abs(want) {
		t.Errorf("without a gradient the likelihood is %.12g, with one %.12g (%v)", value.LogLik, got.LogLik, err)
	}
	for _, noise := range []float64{.05, 1e-12} { // with so little noise the inverse of all rows is inexact
		theta[3] = noise
		if err := m.Evaluate(value, theta, x); err != nil {
			t.Fatal(err)
		}
		if used := m.downdate(&Value{}, false); used != (noise > 1e-3) {
			t.Errorf("with noise of %g downdates are used: %v", noise, used)
		}
	}
}
