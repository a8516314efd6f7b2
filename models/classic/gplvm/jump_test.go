package gplvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
)

// bent returns n points of a curved sheet and their places on it.
func bent(n int, seed uint64) (y, x vec.Matrix[float64]) {
	rnd := rand.New(rand.NewPCG(seed, 5))
	y, x = vec.New[float64](n, 5), vec.New[float64](n, 2)
	for i := range n {
		u, v := 2*rnd.Float64()-1, 2*rnd.Float64()-1
		copy(x.Row(i), []float64{1.5 * u, 1.5 * v})
		copy(y.Row(i), []float64{u, v, u * u, math.Sin(3 * v), u * v})
		for c := range y.Cols {
			y.Row(i)[c] += 0.05 * rnd.NormFloat64()
		}
	}
	return y, x
}

// The predicted gain of a jump is the difference of the likelihoods.
func TestJumpGains(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(4, 40).Draw(rt, "n")
		y, x := bent(n, rapid.Uint64().Draw(rt, "seed"))
		k := kernel.New(kernel.RBF{}, kernel.Bias{}, kernel.White{})
		m, err := New(k, y, 2)
		if err != nil {
			rt.Fatal(err)
		}
		p := &Point{Theta: []float64{rapid.Float64Range(0.3, 3).Draw(rt, "gamma"), 1, 0.5, rapid.Float64Range(0.01, 0.5).Draw(rt, "noise")}, X: x}
		// Two points change places, so that a jump can gain.
		was := x.Clone()
		copy(x.Row(0), was.Row(1))
		copy(x.Row(1), was.Row(0))
		all, total, err := m.jumps(p)
		if err != nil {
			rt.Fatal(err)
		}
		v := &Value{}
		if err := m.Evaluate(v, p.Theta, p.X); err != nil || math.Abs(v.Total()-total) > 1e-8*(1+math.Abs(total)) {
			rt.Fatalf("the likelihood is %g, want %g (%v)", total, v.Total(), err)
		}
		for _, j := range all {
			moved := p.X.Clone()
			copy(moved.Row(int(j.point)), p.X.Row(int(j.to)))
			if err := m.Evaluate(v, p.Theta, moved); err != nil || math.Abs(v.Total()-total-j.gain) > 1e-6*(1+math.Abs(j.gain)) {
				rt.Errorf("point %d to %d gains %g, want %g (%v)", j.point, j.to, j.gain, v.Total()-total, err)
			}
		}
	})
}

// A point on the wrong side of the map jumps back. The likelihood rises with every jump, and no
// jump is left at the end.
func TestJumpBringsBack(t *testing.T) {
	const n = 120
	y, x := bent(n, 7)
	m, err := New(kernel.New(kernel.RBF{}, kernel.Bias{}, kernel.White{}), y, 2)
	if err != nil {
		t.Fatal(err)
	}
	p := &Point{Theta: []float64{1, 1, 0.1, 0.01}, X: x.Clone()}
	for i := range 5 { // far from their places
		copy(p.X.Row(i), []float64{-x.Row(i)[0], -x.Row(i)[1]})
	}
	v := &Value{}
	last := math.Inf(-1)
	for range n {
		if err := m.Evaluate(v, p.Theta, p.X); err != nil || v.Total() <= last {
			t.Fatalf("the likelihood is %g after %g (%v)", v.Total(), last, err)
		}
		last = v.Total()
		moved, err := m.Jump(p)
		if err != nil {
			t.Fatal(err)
		}
		if moved == 0 {
			break
		}
	}
	for i := range 5 {
		if d := math.Sqrt(vec.SquaredDistance(p.X.Row(i), x.Row(i))); d > 0.5 {
			t.Errorf("point %d is %g from home", i, d)
		}
	}
	if moved, err := m.Jump(p); moved != 0 || err != nil {
		t.Errorf("%d points jump again (%v)", moved, err)
	}
	before := last
	r, _, err := m.LearnJumping(context.Background(), p, 3, optimize.Settings{Steps: 20}, m.LearnLBFGS)
	if err != nil || -r.F < before || r.Iterations == 0 {
		t.Errorf("learning led from %g to %g in %d iterations (%v)", before, -r.F, r.Iterations, err)
	}
}

func TestNoJumps(t *testing.T) {
	y, x := bent(20, 3)
	m, err := New(kernel.New(kernel.RBF{}, kernel.Bias{}), y, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Jump(&Point{Theta: m.kernel.Start(), X: x}); !errors.Is(err, errJumpless) {
		t.Errorf("without noise: %v", err)
	}
	y.Row(3)[1] = math.NaN()
	if m, err = New(kernel.New(kernel.RBF{}, kernel.White{}), y, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Jump(&Point{Theta: m.kernel.Start(), X: x}); !errors.Is(err, errJumpless) {
		t.Errorf("with a missing value: %v", err)
	}
}

// A fit makes jumps if the settings ask for them, and reports their number. A sparse model, or one
// of missing values, makes none.
func TestFitJumps(t *testing.T) {
	y, _ := roll(120, 4) // principal components fold layers of this roll onto each other
	x := vec.Convert[float32](y)
	set := FitSettings{Common: models.Common{Steps: 60}, Options: Options{Jumps: 3, Optimizer: optimizerLBFGS}}
	f, err := Fit(context.Background(), x, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := f.Runs[0]
	if r.Moved == 0 || r.Iterations > 60 || !(r.LogLik > r.Initial) {
		t.Errorf("run %+v", r)
	}
	v := &Value{}
	if err := f.Model.Evaluate(v, f.Point.Theta, f.Point.X); err != nil || math.Abs(v.Total()-r.LogLik) > 1e-6*math.Abs(r.LogLik) {
		t.Errorf("the likelihood is %g, reported as %g (%v)", v.Total(), r.LogLik, err)
	}
	if _, err := Fit(context.Background(), x, FitSettings{Options: Options{Jumps: 3, Active: 20}}, nil); err == nil {
		t.Error("points of an active set jump")
	}
	x.Row(3)[1] = float32(math.NaN())
	if _, err := Fit(context.Background(), x, set, nil); !errors.Is(err, errJumpless) {
		t.Errorf("with a missing value: %v", err)
	}
}
