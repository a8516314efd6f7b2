package ep

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models/psi"
)

// holed removes values of the first three columns, of the second and third in the same rows, and
// returns all values.
func holed(d *Data) (whole vec.Matrix[float64]) {
	rnd := rand.New(rand.NewPCG(8, 1))
	whole = d.Y.Clone()
	for n := range d.Y.Rows {
		if rnd.Float64() < .3 {
			d.Y.Row(n)[0] = math.NaN()
		}
		if rnd.Float64() < .4 {
			d.Y.Row(n)[1], d.Y.Row(n)[2] = math.NaN(), math.NaN()
		}
	}
	return whole
}

// The bound of data with missing values is the sum over the columns of the bound of the rows in
// which each is observed.
func TestBoundOfMissing(t *testing.T) {
	h, _ := spiral(40, 0)
	holed(h.Data)
	h.Classes = nil
	p, err := NewProcess(&h.Data.Kernel, h.In, h.Data.Z, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := -Divergence(h.In, nil)
	for c := range h.Data.Y.Cols {
		tau, nu := make([]float64, h.Data.Y.Rows), vec.New[float64](h.Data.Y.Rows, 1)
		for n := range tau {
			if y := h.Data.Y.Row(n)[c]; y == y {
				tau[n], nu.Data[n] = h.Data.Precision, h.Data.Precision*y
			}
		}
		v, err := p.Collapsed(tau, nu, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		want += v
	}
	got, err := h.bound(nil, LearnSettings{})
	if err != nil || math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("the bound is %.12g, by columns %.12g, %v", got, want, err)
	}
}

// The mean of a column equals the mean in a model of the rows in which the column is observed.
func TestObservedOfMissing(t *testing.T) {
	h, _ := spiral(40, 0)
	holed(h.Data)
	h.Classes = nil
	o, err := h.Observed()
	if err != nil {
		t.Fatal(err)
	}
	spread := vec.New[float64](h.Data.Z.Rows, h.Data.Z.Rows)
	for c := range h.Data.Y.Cols {
		var rows []int32
		for n := range h.Data.Y.Rows {
			if y := h.Data.Y.Row(n)[c]; y == y {
				rows = append(rows, int32(n))
			}
		}
		less := &Hybrid{In: psi.Inputs{Mu: vec.Take(h.In.Mu, rows), S: vec.Take(h.In.S, rows)}, Threads: 1}
		less.Data = &Data{Kernel: h.Data.Kernel, Z: h.Data.Z, Precision: h.Data.Precision, Y: vec.New[float64](len(rows), 1)}
		for k, n := range rows {
			less.Data.Y.Data[k] = h.Data.Y.Row(int(n))[c]
		}
		alone, err := less.Observed()
		if err != nil {
			t.Fatal(err)
		}
		for a := range alone.Weights.Rows {
			if got, want := o.Weights.Row(a)[c], alone.Weights.Data[a]; math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
				t.Errorf("column %d has weight %g, alone %g", c, got, want)
			}
		}
		vec.Axpy(1/float64(h.Data.Y.Cols), alone.Spread.Data, spread.Data)
	}
	for a, want := range spread.Data {
		if math.Abs(o.Spread.Data[a]-want) > 1e-8*(1+math.Abs(want)) {
			t.Fatalf("the spread is %g, want the mean %g", o.Spread.Data[a], want)
		}
	}
}

// Learning from data with missing values raises their bound, and predicts the missing values better
// than the means of the columns do. Threads do not matter.
func TestLearnsMissing(t *testing.T) {
	learn := func(threads int) (*Hybrid, vec.Matrix[float64]) {
		h, _ := spiral(60, 0)
		h.Classes, h.Threads = nil, threads
		whole := holed(h.Data)
		r, err := h.Learn(context.Background(), LearnSettings{Rounds: 4, Steps: 15})
		if err != nil || len(r.Bound) != 5 || r.Bound[4] < r.Bound[0]+50 {
			t.Fatalf("%+v, %v", r, err)
		}
		return h, whole
	}
	h, whole := learn(1)
	o, err := h.Observed()
	if err != nil {
		t.Fatal(err)
	}
	wrong, all, y := 0., 0., make([]float64, 5)
	for n := range whole.Rows {
		o.Inference().Decode(y, h.In.Mu.Row(n))
		for c, v := range whole.Row(n) {
			if math.IsNaN(h.Data.Y.Row(n)[c]) {
				wrong += (y[c] - v) * (y[c] - v)
				all += v * v
			}
		}
	}
	t.Logf("%.3f of the mean square of missing values is wrong", wrong/all)
	if wrong > .1*all {
		t.Errorf("%.3f of the mean square of missing values is wrong", wrong/all)
	}
	if other, _ := learn(2); vec.SquaredDistance(h.In.Mu.Data, other.In.Mu.Data) != 0 {
		t.Error("the inputs depend on the number of threads")
	}
}
