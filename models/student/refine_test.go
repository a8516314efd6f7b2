package student

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
)

// refined refines a learnt map of blobs.
func refined(t *testing.T, d int, s ModelSettings, r Refinement) (before, after *State, m *Model, report Report) {
	t.Helper()
	m, st, _ := learnt(t, blobs(300, 6), d, s)
	before = st.Clone()
	report, err := m.Refine(context.Background(), st, r)
	if err != nil {
		t.Fatal(err)
	}
	return before, st, m, report
}

// TestRefineIsStep: without anchor and ramp, a refinement takes the same steps as Step, to the bit,
// for every treatment of variances.
func TestRefineIsStep(t *testing.T) {
	for _, s := range []ModelSettings{{}, {Sigma: Shared}, {Sigma: Free}, {Tail: 2, Steps: 8}} {
		before, after, m, r := refined(t, 2, s, Refinement{Steps: 3, Momentum: m9})
		m.Reset()
		for range 3 {
			if _, err := m.Step(context.Background(), before); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(before.Mu.Data, after.Mu.Data) || !slices.Equal(before.Sigma2, after.Sigma2) {
			t.Errorf("%+v: three steps of Refine are not those of Step", s)
		}
		if l := m.LogLikelihood(after); math.Abs(r.Loglik-l) > 1e-9*math.Abs(l) || r.Iterations != 3 || r.CGIterations < 3 {
			t.Errorf("%+v, L is %v", r, l)
		}
	}
}

// m9 is the default momentum.
const m9 = 0.9

// TestAnchorHolds: the stronger the anchor, the less points move. The first step solves (Lap(W) +
// Gamma + lambda) x = dL/dmu.
func TestAnchorHolds(t *testing.T) {
	last := math.Inf(1)
	for _, anchor := range []float64{0, 0.1, 1, 10, 1e6} {
		before, after, _, _ := refined(t, 2, ModelSettings{}, Refinement{Steps: 5, Momentum: m9, Anchor: anchor})
		far := math.Sqrt(vec.SquaredDistance(before.Mu.Data, after.Mu.Data))
		if !(far < last) || far == 0 {
			t.Errorf("anchor %v: moved by %v, with a weaker one by %v", anchor, far, last)
		}
		last = far
	}
	if last > 1e-3 {
		t.Errorf("moved by %v in spite of an anchor of 1e6", last)
	}
	m, st, _ := learnt(t, blobs(300, 6), 2, ModelSettings{Tolerance: 1e-10, Sweeps: -1})
	before := st.Clone()
	a, grad := m.Assemble(before)
	grad = grad.Clone()
	const anchor = 0.3
	want := vec.New[float64](m.n, 2)
	for i := range a.Diagonal {
		a.Diagonal[i] += anchor
	}
	if _, err := m.cg.Solve(context.Background(), a, grad, want); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Refine(context.Background(), st, Refinement{Steps: 1, Anchor: anchor}); err != nil {
		t.Fatal(err)
	}
	for k, v := range st.Mu.Data {
		if got := v - before.Mu.Data[k]; math.Abs(got-want.Data[k]) > 1e-6*(1+math.Abs(want.Data[k])) {
			t.Fatalf("coordinate %d moved by %v, want %v", k, got, want.Data[k])
		}
	}
}

// TestRamp: weight and reach change geometrically and end at their final values.
func TestRamp(t *testing.T) {
	r := Refinement{Steps: 30, Ramp: 20}
	for step, want := range map[int]float64{0: math.Pow(100, .95), 9: 10, 19: 1, 20: 1, 29: 1} {
		if f := r.at(step, 100); math.Abs(f-want) > 1e-12*want {
			t.Errorf("step %d: %v, want %v", step, f, want)
		}
	}
	if (Refinement{Steps: 3}).at(0, 2) != 1 || r.at(0, 0) != 1 {
		t.Error("without a ramp, or nothing to change, there is a factor")
	}
	_, _, m, _ := refined(t, 2, ModelSettings{}, Refinement{Steps: 30, Ramp: 20, Ratio: 100, Reach: 10})
	if m.c != m.s.Weight || m.similar.p != m.p {
		t.Errorf("the model is left with the weight %v, not %v, or other edges", m.c, m.s.Weight)
	}
}

// TestRatioContracts: with a lower weight of dissimilar pairs in the ramp, which is their push, points
// come closer together. The larger the ratio is, the smaller the map becomes meanwhile.
func TestRatioContracts(t *testing.T) {
	last := math.Inf(1)
	for _, ratio := range []float64{1, 10, 1000} {
		_, after, _, _ := refined(t, 2, ModelSettings{}, Refinement{Steps: 12, Ramp: 14, Ratio: ratio})
		spread := vec.SquaredNorm(after.Mu.Data)
		if !(spread < last) {
			t.Errorf("ratio %v: the map has a spread of %v, with a smaller one %v", ratio, spread, last)
		}
		last = spread
	}
}

// TestReach: a refinement with reach shortens an edge that is too long to pull, and one without
// does not. The edges of the problem stay as they are.
func TestReach(t *testing.T) {
	for _, reach := range []float64{1, 10} {
		m, st, _ := learnt(t, blobs(300, 6), 2, ModelSettings{})
		edges := present(m.p)
		i := st.Mu.Row(0)
		i[0], i[1] = i[0]+60, i[1]-60
		before, err := m.Refine(context.Background(), st.Clone(), Refinement{})
		if err != nil {
			t.Fatal(err)
		}
		after, err := m.Refine(context.Background(), st, Refinement{Steps: 60, Ramp: 40, Reach: reach, Momentum: .7, Anchor: 0.03})
		if err != nil {
			t.Fatal(err)
		}
		near, _ := neighbors(t, vec.Convert[float32](st.Mu), 1).Row(0)
		if home := near[0]%5 == 0; home != (reach > 1) {
			t.Errorf("reach %v: the point is at home: %v", reach, home)
		}
		if !(after.Loglik > before.Loglik) || !slices.Equal(edges, present(m.p)) {
			t.Errorf("reach %v: L from %v to %v", reach, before.Loglik, after.Loglik)
		}
	}
}

// TestRefineRandomFields: places are the mean of the last steps.
func TestRefineRandomFields(t *testing.T) {
	before, after, _, r := refined(t, 6, ModelSettings{}, Refinement{Steps: 5, Momentum: m9, Anchor: .1})
	if slices.Equal(before.Mu.Data, after.Mu.Data) || !vec.Finite(after.Mu.Data) || math.IsNaN(r.Loglik) {
		t.Errorf("%+v", r)
	}
}

func TestRefineRefuses(t *testing.T) {
	m, st, _ := learnt(t, blobs(60, 4), 2, ModelSettings{Steps: 4})
	for _, r := range []Refinement{
		{Steps: -1}, {Steps: 1, Momentum: 1}, {Steps: 1, Anchor: -1}, {Steps: 1, Anchor: math.NaN()}, {Steps: 1, Ratio: 0.5}, {Steps: 1, Reach: math.NaN()}, {Steps: 1, Reach: 1e7},
	} {
		if _, err := m.Refine(context.Background(), st, r); err == nil {
			t.Errorf("%+v: no error", r)
		}
	}
	before := st.Clone()
	ctx, end := context.WithCancel(context.Background())
	end()
	if _, err := m.Refine(ctx, st, Refinement{Steps: 2}); err == nil || !slices.Equal(before.Mu.Data, st.Mu.Data) {
		t.Errorf("after its context has ended: %v", err)
	}
}

// TestRefineNotFinite: a refinement that leaves a place, a scale or the likelihood without a finite
// value is an error, whichever of them it is.
func TestRefineNotFinite(t *testing.T) {
	for name, spoil := range map[string]func(st *State){
		"a place that is no number": func(st *State) { st.Mu.Row(299)[1] = math.NaN() },
		"a scale that is no number": func(st *State) { st.Sigma2[299] = math.NaN() },
		"places too far apart":      func(st *State) { st.Mu.Row(0)[0] = 1e200 },
	} {
		m, st, _ := learnt(t, blobs(300, 6), 2, ModelSettings{Steps: 4})
		spoil(st)
		if _, err := m.Refine(context.Background(), st, Refinement{}); !errors.Is(err, models.ErrNotFinite) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnitStays: scales in the unit of another problem equal those of that problem.
func TestUnitStays(t *testing.T) {
	x := blobs(80, 5)
	nb := neighbors(t, x, 6)
	p := NewProblem(nb, 6, Native)
	q := newProblem(nb, nil, edgeWeights{rank: nearWeights(6, 0)}, lengths{unit: p.Unit}, 1)
	if !slices.Equal(p.delta2.double, q.delta2.double) || p.Unit != q.Unit {
		t.Error("the same unit gives other scales")
	}
	q = newProblem(nb, nil, edgeWeights{rank: nearWeights(6, 0)}, lengths{unit: p.Unit / 2}, 1)
	for i, v := range q.Bandwidth2 {
		if want := min(2*p.Bandwidth2[i], ClipHigh); p.Bandwidth2[i] > ClipLow && math.Abs(v-want) > 1e-12 {
			t.Fatalf("Delta^2 %v in half the unit, was %v", v, p.Bandwidth2[i])
		}
	}
}
