package student

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
)

// blobs returns n points in five well separated clusters, point i in cluster i%5.
func blobs(n, dim int) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(1, 0xb10b))
	centers := vec.New[float64](5, dim)
	for k := range centers.Data {
		centers.Data[k] = 4 * r.NormFloat64()
	}
	x := vec.New[float32](n, dim)
	for i := range n {
		for c, v := range centers.Row(i % 5) {
			x.Row(i)[c] = float32(v + r.NormFloat64())
		}
	}
	return x
}

// learnt returns the model of x, its learnt state and the report.
func learnt(t *testing.T, x vec.Matrix[float32], d int, s ModelSettings) (*Model, *State, Report) {
	t.Helper()
	p := NewProblem(neighbors(t, x, 6), 6, Native)
	if d <= 3 {
		p.Field = farfield.NewAll(p.Bandwidth2, d)
	} else {
		p.Field = farfield.NewShared(p.Bandwidth2, d, farfield.SharedSettings{Sources: 40, Block: 16, Exact: -1, Seed: 1})
	}
	m, err := NewModel(p, d, s)
	if err != nil {
		t.Fatal(err)
	}
	st, err := Start(context.Background(), x, d, StartSettings{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Learn(context.Background(), st, nil)
	if err != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	return m, st, r
}

// TestSeparatesClusters: clusters that are apart in the data are apart on the map, for every kind
// of sigma and every d.
func TestSeparatesClusters(t *testing.T) {
	x := blobs(400, 8)
	for _, c := range []struct {
		d int
		s ModelSettings
	}{
		{2, ModelSettings{}}, {2, ModelSettings{Sigma: Shared}}, {2, ModelSettings{Sigma: Free}},
		{2, ModelSettings{Tail: 3, Steps: 12, Weight: DefaultWeight}}, {3, ModelSettings{}}, {10, ModelSettings{}}, {10, ModelSettings{Sigma: Shared}},
	} {
		_, st, r := learnt(t, x, c.d, c.s)
		nb := neighbors(t, vec.Convert[float32](st.Mu), 9)
		wrong := 0
		for i := range x.Rows {
			near, _ := nb.Row(i)
			for _, j := range near {
				if int(j)%5 != i%5 {
					wrong++
				}
			}
		}
		if share := float64(wrong) / float64(9*x.Rows); share > 0.01 {
			t.Errorf("d = %d, %+v: %.3f of the neighbours are of another cluster", c.d, c.s, share)
		}
		if !(r.Loglik > r.LoglikInitial) || r.Iterations == 0 || r.CGIterations < r.Iterations || r.Pairs == 0 {
			t.Errorf("d = %d: %+v", c.d, r)
		}
	}
}

// TestGuard: with momentum, early steps overshoot. Frequent checks see the likelihood fall and
// raise the damping, to 1 at most.
func TestGuard(t *testing.T) {
	x := normal(80, 4, 3)
	s := ModelSettings{Phases: [3]int{0, 0, 60}, Damping: 1e-3, Check: -1}
	if _, _, r := learnt(t, x, 2, s); r.Falls != 0 || r.Damping != s.Damping {
		t.Errorf("without a guard: %+v", r)
	}
	s.Check = 1
	m, _, r := learnt(t, x, 2, s)
	if r.Falls == 0 || r.Damping != min(1, s.Damping*math.Pow(4, float64(r.Falls))) {
		t.Errorf("%+v", r)
	}
	if m.s.Damping != s.Damping || m.c != m.s.Weight {
		t.Errorf("Learn leaves damping %v and weight %v behind", m.s.Damping, m.c)
	}
	// A field that draws its sample again is not checked.
	if _, _, r := learnt(t, x, 4, ModelSettings{Check: 1, Momentum: 0.95, Damping: 1e-3}); r.Falls != 0 {
		t.Errorf("a random field: %+v", r)
	}
}

// TestGain: learning ends at a check where the likelihood hardly rose. It does not end before the
// weight is final, nor with a field that draws its sample again.
func TestGain(t *testing.T) {
	x := blobs(300, 6)
	_, _, all := learnt(t, x, 2, ModelSettings{Steps: 200})
	if all.Converged || all.Iterations != 200 {
		t.Errorf("without gain: %+v", all)
	}
	_, _, r := learnt(t, x, 2, ModelSettings{Steps: 200, Gain: 2e-3})
	if !r.Converged || r.Iterations >= 200 || r.LoglikInitial != all.LoglikInitial || all.Loglik-r.Loglik > 0.02*math.Abs(all.Loglik) {
		t.Errorf("%+v without gain, %+v with", all, r)
	}
	// The weight reaches its final value whatever the gain.
	if _, _, r := learnt(t, x, 2, ModelSettings{Steps: 200, Gain: 0.9}); !r.Converged || r.Iterations != 149+10 {
		t.Errorf("a gain that is always below: %d steps", r.Iterations)
	}
	for _, c := range []struct {
		d int
		s ModelSettings
	}{{4, ModelSettings{Steps: 100, Gain: 0.9}}, {2, ModelSettings{Steps: 100, Gain: 0.9, Check: -1}}} {
		if _, _, r := learnt(t, x, c.d, c.s); r.Converged || r.Iterations != 100 {
			t.Errorf("nobody looks: %+v", r)
		}
	}
}

// TestSchedule compares the weights of the steps with H11, written for sums D.
func TestSchedule(t *testing.T) {
	x := normal(400, 3, 1)
	p := NewProblem(neighbors(t, x, 6), 6, Native)
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{Steps: 80, Weight: DefaultWeight})
	if err != nil {
		t.Fatal(err)
	}
	if m.s.Phases != [3]int{20, 40, 20} {
		t.Fatalf("phases %v", m.s.Phases)
	}
	ratio := func(step int) float64 { return m.weightsAt(step).c * 399 / 6 }
	final := 399 * DefaultWeight / 6
	for step, want := range map[int]float64{
		0: 5, 18: 5, 19: 5, 20: 5 * math.Pow(final/5, 1./40), 39: math.Sqrt(5 * final),
		58: 5 * math.Pow(final/5, 39./40), 59: final, 79: final,
	} {
		if got := ratio(step); math.Abs(got-want) > 1e-12*want {
			t.Errorf("step %d: sum D / sum S = %v, want %v", step, got, want)
		}
	}
}

// TestSmall: problems of one point, two points, or many dimensions are learnt.
func TestSmall(t *testing.T) {
	for n := 2; n < 6; n++ {
		for _, d := range []int{1, 2, 3, 7} {
			p := NewProblem(neighbors(t, normal(n, 2, 1), n-1), n-1, Native)
			p.Field = farfield.NewAll(p.Bandwidth2, d)
			m, err := NewModel(p, d, ModelSettings{Sigma: Free})
			if err != nil {
				t.Fatal(err)
			}
			st, err := Start(context.Background(), normal(n, 2, 1), d, StartSettings{})
			if err != nil {
				t.Fatal(err)
			}
			if r, err := m.Learn(context.Background(), st, nil); err != nil {
				t.Errorf("n = %d, d = %d: %+v, %v", n, d, r, err)
			}
		}
	}
	p := NewProblem(knn.NewNeighbors(1, 1), 1, Native)
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{})
	if err != nil {
		t.Fatal(err)
	}
	st := scattered(1, 2, 1, Fixed, 1)
	if r, err := m.Learn(context.Background(), st, nil); err != nil || r.Iterations != 0 {
		t.Errorf("one point: %+v, %v", r, err)
	}
}

// TestErrors: invalid input is an error.
func TestErrors(t *testing.T) {
	p := NewProblem(neighbors(t, normal(30, 2, 1), 4), 4, Native)
	for k, s := range []ModelSettings{
		{Tail: -1}, {Tail: math.Inf(1)}, {Weight: math.NaN()}, {Damping: -1}, {Momentum: 1}, {Tolerance: 2},
		{Floor: -1}, {Majoriser: 9}, {Sigma: 9}, {Majoriser: Local, Tail: 2}, {Ratio: -1}, {Phases: [3]int{-1, 2, 3}},
		{Gain: -1}, {Gain: math.NaN()}, {Gain: 1},
	} {
		if _, err := NewModel(p, 2, s); err == nil {
			t.Errorf("settings %d are taken: %+v", k, s)
		}
	}
	if _, err := NewModel(p, 0, ModelSettings{}); err == nil {
		t.Error("a map without dimensions is taken")
	}
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{})
	if err != nil {
		t.Fatal(err)
	}
	st := scattered(30, 2, 1, Fixed, 1)
	st.Mu.Data[7] = math.NaN()
	if _, err := m.Learn(context.Background(), st, nil); !errors.Is(err, models.ErrNotFinite) {
		t.Errorf("a place that is not a number: %v", err)
	}
	gone, cancel := context.WithCancel(context.Background())
	st = scattered(30, 2, 1, Fixed, 1)
	before := slices.Clone(st.Mu.Data)
	cancel()
	if _, err := m.Learn(gone, st, nil); !errors.Is(err, context.Canceled) || !slices.Equal(before, st.Mu.Data) {
		t.Errorf("cancelled: %v", err)
	}
	if !strings.Contains(fmt.Sprint(m.Learn(gone, st, nil)), "step 1 of 200: context canceled") {
		t.Error("the step that was cancelled has no number")
	}
	for _, other := range []*State{scattered(29, 2, 1, Fixed, 1), scattered(30, 3, 1, Fixed, 1), {Mu: st.Mu, Sigma2: st.Sigma2[:29]}} {
		for name, f := range map[string]func(){"likelihood": func() { m.LogLikelihood(other) }, "Learn": func() { _, _ = m.Learn(t.Context(), other, nil) }, "Refine": func() { _, _ = m.Refine(t.Context(), other, Refinement{}) }} {
			func() {
				defer func() {
					if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "student: state of") {
						t.Errorf("%s takes a state of another size: %s", name, text)
					}
				}()
				f()
			}()
		}
	}
}

// TestStepsDoNotAllocate: a sweep allocates all its memory at the first step.
func TestStepsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool drop what it holds at random")
	}
	for _, d := range []int{2, 3, 10} {
		p := NewProblem(neighbors(t, normal(500, 3, 1), 6), 6, Native)
		p.Field = farfield.NewAll(p.Bandwidth2, d)
		m, err := NewModel(p, d, ModelSettings{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		st := scattered(500, d, 3, Fixed, 1)
		step := func() {
			if _, err := m.Step(context.Background(), st); err != nil {
				t.Fatal(err)
			}
		}
		step()
		if a := testing.AllocsPerRun(3, step); a > 10 {
			t.Errorf("d = %d: %v allocations a step", d, a)
		}
	}
}

// TestDefaultsByNumber: with few points the default takes more steps, and dissimilar pairs weigh
// more in each.
func TestDefaultsByNumber(t *testing.T) {
	for _, c := range []struct{ n, d, want int }{{100, 2, 200}, {20_000, 3, 120}, {40_000, 10, 75}, {70_000, 2, 80}, {70_000, 10, 50}, {0, 2, 200}} {
		if got := Steps(c.n, c.d); got != c.want {
			t.Errorf("%d points in %d dimensions: %d steps, want %d", c.n, c.d, got, c.want)
		}
	}
	if c := Weight(70_000, 6*70_000, 9); c != DefaultWeight {
		t.Errorf("70,000 points: %g", c)
	}
	const n, k = 4000, 6
	for dim, want := range map[float64]float64{0: LeastRatio, 1: LeastRatio, 4: LeastRatio, 5: 175, 6: MostRatio, 30: MostRatio} {
		if c := Weight(n, n*k, dim); math.Abs(c*n*(n-1)/(n*k)-want) > 1e-9 {
			t.Errorf("4,000 points of %v dimensions: sum D / sum S is %g, want %v", dim, c*n*(n-1)/(n*k), want)
		}
	}
}

// TestAlike: likelihoods of two steps are comparable if only the prior weighs differently, and not if
// pairs or further edges do.
func TestAlike(t *testing.T) {
	w := weights{c: 1, further: 0.5, kappa: 3}
	for want, all := range map[bool][]weights{true: {w, {c: 1, further: 0.5, kappa: 7}, {c: 1, further: 0.5}}, false: {{c: 2, further: 0.5, kappa: 3}, {c: 1, further: 0.25, kappa: 3}}} {
		for _, v := range all {
			if w.alike(v) != want || v.alike(w) != want {
				t.Errorf("%+v and %+v: alike is not %v", w, v, want)
			}
		}
	}
}

// TestLearnCutShort: learning that is cut short leaves the model with its final weights, so that
// likelihoods afterwards are those of before.
func TestLearnCutShort(t *testing.T) {
	m, st, _ := learnt(t, blobs(200, 6), 2, ModelSettings{})
	before := m.LogLikelihood(st)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	steps := 0
	_, err := m.Learn(ctx, st.Clone(), func(done, _ int) {
		if steps = done; done == 3 {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || steps != 3 {
		t.Fatalf("after step %d: %v", steps, err)
	}
	if after := m.LogLikelihood(st); after != before {
		t.Errorf("L was %v and is %v", before, after)
	}
}

// TestLearnNotFinite: a map that ends without a finite likelihood is an error.
func TestLearnNotFinite(t *testing.T) {
	p := NewProblem(neighbors(t, blobs(60, 4), 6), 6, Native)
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{Steps: -1})
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(st *State){
		"places too far apart": func(st *State) { st.Mu.Row(0)[0] = 1e200 }, "a scale that is no number": func(st *State) { st.Sigma2[59] = math.NaN() },
	} {
		st := &State{Mu: vec.New[float64](60, 2), Sigma2: make([]float64, 60)}
		for i := range st.Sigma2 {
			st.Mu.Row(i)[0], st.Sigma2[i] = float64(i), 0.1
		}
		spoil(st)
		if _, err := m.Learn(t.Context(), st, nil); !errors.Is(err, models.ErrNotFinite) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStepMuMoves: a step moves the places to a larger likelihood, and one whose context has ended
// leaves them.
func TestStepMuMoves(t *testing.T) {
	m, st, _ := learnt(t, blobs(120, 5), 2, ModelSettings{Steps: 6, Majoriser: EM})
	before, l := st.Clone(), m.LogLikelihood(st)
	if _, err := m.StepMu(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	if after := m.LogLikelihood(st); !(after > l) || slices.Equal(before.Mu.Data, st.Mu.Data) {
		t.Errorf("L was %v and is %v", l, after)
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	before = st.Clone()
	if _, err := m.StepMu(over, st); !errors.Is(err, context.Canceled) || !slices.Equal(before.Mu.Data, st.Mu.Data) {
		t.Errorf("after its context has ended: %v", err)
	}
}
