package gplvm

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models/classic/kernel"
)

// random returns n x d normal numbers.
func random(n, d int, seed uint64) vec.Matrix[float64] {
	rnd := rand.New(rand.NewPCG(seed, 5))
	m := vec.New[float64](n, d)
	for i := range m.Data {
		m.Data[i] = rnd.NormFloat64()
	}
	return m
}

func model(t testing.TB, name string, y vec.Matrix[float64]) *Model {
	t.Helper()
	k, err := kernel.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(k, y, 2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// alike compares two values with their gradients.
func alike(t *testing.T, what string, a, b *Value, tolerance float64) {
	t.Helper()
	if d := math.Abs(a.LogLik - b.LogLik); !(d <= tolerance*math.Abs(b.LogLik)) {
		t.Errorf("%s: log-likelihoods %.15g and %.15g", what, a.LogLik, b.LogLik)
	}
	for name, c := range map[string][2][]float64{"theta": {a.Theta, b.Theta}, "X": {a.X.Data, b.X.Data}} {
		most := 0.0
		for _, v := range c[1] {
			most = max(most, math.Abs(v))
		}
		for i, v := range c[0] {
			if !(math.Abs(v-c[1][i]) <= tolerance*most) {
				t.Errorf("%s: derivative %d in %s is %.15g and %.15g", what, i, name, v, c[1][i])
				break
			}
		}
	}
}

// A matrix of low rank plus noise has the same likelihood and gradient by the low-rank method and
// by the full one. No other matrix is treated as one of low rank.
func TestLowRank(t *testing.T) {
	const n = 400
	y, x := random(n, 7, 1), random(n, 2, 2)
	for _, c := range []struct {
		kernel string
		theta  []float64
		low    bool
	}{
		{"rbf+bias+white", []float64{0.6, 1, 0.4, 0.4}, true},
		{"rbf+bias+white", []float64{0.2, 3, 1, 1e-3}, true},
		{"linear+white", []float64{2, 0.1}, true},
		{"mlp+white", []float64{0.01, 0.1, 1, 0.1}, true},
		{"rbf+bias+white", []float64{400, 1, 0.4, 0.4}, false}, // of full rank
		{"rbf+white", []float64{1, 1, 1e-7}, false},            // too little noise
	} {
		m := model(t, c.kernel, y)
		got := &Value{Theta: make([]float64, m.kernel.Len()), X: vec.New[float64](n, 2)}
		want := &Value{Theta: make([]float64, m.kernel.Len()), X: vec.New[float64](n, 2)}
		if err := m.Evaluate(got, c.theta, x); err != nil {
			t.Fatal(err)
		}
		if m.last.low != c.low {
			t.Errorf("%s %v is of low rank: %v", c.kernel, c.theta, m.last.low)
		}
		rank := m.low.rank
		m.low.wait = math.MaxInt
		if err := m.Evaluate(want, c.theta, x); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %v: rank %d", c.kernel, c.theta, rank)
		alike(t, c.kernel, got, want, 1e-9)
	}
}

// A gradient reuses a value at the same point only.
func TestGradientGoesOn(t *testing.T) {
	for _, n := range []int{50, 300} {
		y, x := random(n, 3, 3), random(n, 2, 4)
		m := model(t, "rbf+bias+white", y)
		theta, other := []float64{1, 1, 0.4, 0.4}, []float64{1.5, 1, 0.4, 0.4}
		fresh := &Value{Theta: make([]float64, 4), X: vec.New[float64](n, 2)}
		if err := m.Evaluate(fresh, theta, x); err != nil {
			t.Fatal(err)
		}
		for _, before := range [][]float64{theta, other} {
			if err := m.Evaluate(&Value{}, before, x); err != nil {
				t.Fatal(err)
			}
			v := &Value{Theta: make([]float64, 4), X: vec.New[float64](n, 2)}
			if err := m.Evaluate(v, theta, x); err != nil {
				t.Fatal(err)
			}
			alike(t, "after a value", v, fresh, 0)
		}
	}
}

// After a failure because of a large rank, the low-rank method is skipped for some evaluations and
// then tried again.
func TestLowRankWaits(t *testing.T) {
	const n = 300
	m := model(t, "rbf+white", random(n, 2, 1))
	x, v := random(n, 2, 2), &Value{}
	rough, smooth := []float64{900, 1, 0.3}, []float64{0.1, 1, 0.3}
	var low []bool
	for i := range patience + 2 {
		theta := smooth
		if i == 0 {
			theta = rough
		}
		if err := m.Evaluate(v, theta, x); err != nil {
			t.Fatal(err)
		}
		m.last.ok = false
		low = append(low, m.last.low)
	}
	for i, is := range low {
		if is != (i > patience) {
			t.Errorf("evaluation %d is by a low rank: %v", i, is)
		}
	}
}
