package student

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// TestFurtherWeightEnds: from the end on, a further edge has its last weight, to the bit.
func TestFurtherWeightEnds(t *testing.T) {
	w := FurtherWeight{From: 0.3, To: 0.1}
	if w.At(1) != 0.1 || w.At(2) != 0.1 || w.At(0) != 0.3 {
		t.Errorf("%v, %v, %v", w.At(1), w.At(2), w.At(0))
	}
	if w := (FurtherWeight{From: 0.99, To: 0.1}); w.At(1) != 0.1 {
		t.Errorf("%v at the end", w.At(1))
	}
	if got := (Settings{Options: Options{Further: w}}).further(100, 3); got != w {
		t.Errorf("%+v", got)
	}
	if got := (Settings{}).further(100, 16); math.Abs(got.From-0.3) > 1e-12 || math.Abs(got.To-0.08) > 1e-12 {
		t.Errorf("%+v", got)
	}
}

// TestStrides: the likelihood of every stride-th point is half of that of each of its pairs, in
// every dimension and with tails of their own.
func TestStrides(t *testing.T) {
	for _, c := range []struct {
		d    int
		tail float64
	}{{1, 0}, {2, 0}, {2, 2}, {3, 0}, {4, 0}, {5, 1}} {
		const n = 150
		p := NewProblem(neighbors(t, normal(n, 3, 1), 5), 5, Native)
		p.Field = farfield.NewAll(p.Bandwidth2, c.d)
		m, err := NewModel(p, c.d, ModelSettings{Tail: c.tail})
		if err != nil {
			t.Fatal(err)
		}
		st := scattered(n, c.d, 2, Free, 4)
		m.move(st)
		for _, stride := range []int{1, 2, 7, 149, 150, 151} {
			var similar, dissimilar float64
			for i := 0; i < n; i += stride {
				for j := range n {
					if i == j {
						continue
					}
					pair := Pair{Sigma2I: st.Sigma2[i], Sigma2J: st.Sigma2[j], Dist2: vec.SquaredDistance(st.Mu.Row(i), st.Mu.Row(j)), Dims: c.d, Tail: m.s.Tail}
					for _, pair.Scale2 = range []float64{p.Bandwidth2[i], p.Bandwidth2[j]} {
						dissimilar += m.s.Weight * pair.LogOther() / 2
					}
					if at := p.Similar.Find(i, int32(j)); at >= 0 {
						pair.Scale2 = p.delta2.at(at)
						similar += p.weights.at(at) / 2 * pair.LogProb()
					}
				}
			}
			gotS, gotD := m.logLikelihoods(st, stride)
			if math.Abs(gotS-similar) > 1e-9*math.Abs(similar) || math.Abs(gotD-dissimilar) > 1e-9*math.Abs(dissimilar) {
				t.Errorf("d = %d, stride %d: %v and %v, want %v and %v", c.d, stride, gotS, gotD, similar, dissimilar)
			}
		}
	}
}

// TestExtrapolated: the reported likelihood of many points is computed from evenly chosen points,
// multiplied by the number that each stands for.
func TestExtrapolated(t *testing.T) {
	for _, n := range []int{2*reported - 1, 2 * reported, 3*watched + 1} {
		nb := knn.NewNeighbors(n, 1)
		for i := range n {
			index, dist2 := nb.Row(i)
			index[0], dist2[0] = int32(i^1), 1
			if i^1 >= n {
				index[0] = 0
			}
		}
		p := NewProblem(nb, 1, Native)
		p.Field = wide{n, true}
		m, err := NewModel(p, 2, ModelSettings{})
		if err != nil {
			t.Fatal(err)
		}
		st := scattered(n, 2, 1, Fixed, 3)
		want := func(most int) float64 {
			stride, count := max(1, n/most), 0
			for i := 0; i < n; i += stride {
				count++
			}
			sum, _ := m.logLikelihoods(st, stride)
			return sum * float64(n) / float64(count)
		}
		if got := m.sampled(st); math.Abs(got-want(reported)) > 1e-9*math.Abs(got) {
			t.Errorf("%d points: %v, want %v", n, got, want(reported))
		}
		if got := m.reported(st); math.Abs(got-want(watched)) > 1e-9*math.Abs(got) {
			t.Errorf("%d points of a random field: %v, want %v", n, got, want(watched))
		}
		p.Field = wide{n, false}
		if got := m.reported(st); math.Abs(got-want(n)) > 1e-9*math.Abs(got) {
			t.Errorf("%d points: %v, want %v", n, got, want(n))
		}
	}
}

// TestLooks: the guard checks at regular intervals, only while weights are equal, and only if a
// comparison follows.
func TestLooks(t *testing.T) {
	p := NewProblem(neighbors(t, normal(40, 3, 1), 5), 5, Native)
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{Phases: [3]int{5, 4, 8}, Check: 3, Damping: 0.1, Gain: 0})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := scattered(40, 2, 1, Fixed, 3), scattered(40, 2, 1, Fixed, 3)
	vec.Scale(40, bad.Mu.Data)
	m.prior.Fit(good.Mu)
	g := m.newGuard()
	looked := func(st *State, t int) bool {
		m.weigh(m.weightsAt(t))
		m.move(st)
		before := g.loglik
		g.look(m, st, t, 17)
		return g.loglik != before
	}
	// The first five steps and the last nine have weights of their own, and those between change.
	var steps []int
	for step := range 17 {
		vec.Scale(1.001, good.Mu.Data) // so that every check sees another likelihood
		if looked(good, step) {
			steps = append(steps, step)
		}
	}
	if want := []int{0, 3, 8, 11, 14}; !slices.Equal(steps, want) {
		t.Errorf("looks at %v, want %v", steps, want)
	}
	// A fall raises the damping fourfold, up to 1, and is counted. A tiny change is no fall.
	g = m.newGuard()
	m.Reset()
	g.every, g.wait = 1, 0
	looked(good, 10)
	for k, want := range []float64{0.4, 1, 1} {
		m.velocity.Data[0] = 1
		vec.Scale(1.5, bad.Mu.Data)
		looked(bad, 10)
		if m.s.Damping != want || g.falls != k+1 || m.velocity.Data[0] != 0 || g.still {
			t.Errorf("fall %d: damping %v, %d falls, velocity %v", k, m.s.Damping, g.falls, m.velocity.Data[0])
		}
	}
	m.s.Majoriser = Force
	vec.Scale(1.5, bad.Mu.Data)
	if looked(bad, 10); m.s.Damping != 4 || m.mostDamping() != 64 {
		t.Errorf("damping %v, at most %v", m.s.Damping, m.mostDamping())
	}
	m.s.Damping = 100
	vec.Scale(1.5, bad.Mu.Data)
	if looked(bad, 10); m.s.Damping != 100 {
		t.Errorf("damping falls to %v", m.s.Damping)
	}
	falls := g.falls
	g.look(m, bad, 10, 17) // the same again
	if g.falls != falls || g.still {
		t.Errorf("%d falls, still %v, of no change and no gain", g.falls-falls, g.still)
	}
	m.s.Gain = 1e-9
	if g.look(m, bad, 10, 17); !g.still || g.falls != falls {
		t.Error("no change is not seen as still")
	}
	if g.every = -1; g.every < 0 {
		if g.look(m, bad, 10, 17); g.still {
			t.Error("without looks it is still")
		}
	}
	p.Field = wide{40, true}
	if m.newGuard().every != -1 {
		t.Error("a random field is looked at")
	}
}

// TestMeans: the mean is that of the last states, or of all if there were fewer.
func TestMeans(t *testing.T) {
	p := NewProblem(neighbors(t, normal(10, 3, 1), 3), 3, Native)
	for _, c := range []struct {
		steps  int
		random bool
		from   int
	}{{20, false, 20}, {20, true, 10}, {4, true, 0}} {
		p.Field = wide{10, c.random}
		m, err := NewModel(p, 2, ModelSettings{})
		if err != nil {
			t.Fatal(err)
		}
		a, want, count := m.newMean(c.steps), make([]float64, 20), 0.0
		var st *State
		for step := range c.steps {
			st = scattered(10, 2, 1, Fixed, uint64(step))
			if a.add(step, st); step >= c.from {
				count++
				for k, v := range st.Mu.Data {
					want[k] += v
				}
			}
		}
		if count == 0 {
			count, want = 1, slices.Clone(st.Mu.Data)
		}
		a.take(st)
		for k, v := range st.Mu.Data {
			if math.Abs(v-want[k]/count) > 1e-12 {
				t.Fatalf("%+v: entry %d is %v, want %v", c, k, v, want[k]/count)
			}
		}
	}
	p.Field = wide{10, true}
	m, err := NewModel(p, 2, ModelSettings{})
	if err != nil {
		t.Fatal(err)
	}
	st := scattered(10, 2, 1, Fixed, 1)
	before := slices.Clone(st.Mu.Data)
	if m.newMean(0).take(st); !slices.Equal(st.Mu.Data, before) { // no step, no mean
		t.Error("the mean of no states is one")
	}
}

// TestStartIs: the initial state has the given variance.
func TestStartIs(t *testing.T) {
	x := normal(30, 4, 1)
	for given, want := range map[float64]float64{0: DefaultSigma2, 0.3: 0.3} {
		st, err := Start(context.Background(), x, 2, StartSettings{Sigma2: given})
		if err != nil || st.Mu.Rows != 30 || st.Mu.Cols != 2 || len(st.Sigma2) != 30 || slices.Min(st.Sigma2) != want || slices.Max(st.Sigma2) != want {
			t.Errorf("%v: %v", given, err)
		}
	}
}

// TestRefineTwo: two points are refined, one of them without edges.
func TestRefineTwo(t *testing.T) {
	for n, steps := range map[int]int{1: 0, 2: 3} {
		p := NewProblem(neighborsOf(n), 1, Native)
		p.Field = farfield.NewAll(p.Bandwidth2, 2)
		m, err := NewModel(p, 2, ModelSettings{})
		if err != nil {
			t.Fatal(err)
		}
		st := scattered(n, 2, 1, Fixed, 3)
		before := st.Clone()
		r, err := m.Refine(t.Context(), st, Refinement{Steps: 3})
		if err != nil || r.Iterations != steps || slices.Equal(before.Mu.Data, st.Mu.Data) != (steps == 0) || r.Damping != m.s.Damping || r.Pairs != int64(n*(n-1)) {
			t.Errorf("%d points: %+v, %v", n, r, err)
		}
	}
}

// TestWeighs: the weight of further edges follows the step's weight, and the last one is kept.
func TestWeighs(t *testing.T) {
	x := normal(40, 3, 1)
	nb := neighbors(t, x, 12)
	p := newProblem(nb, further(x, nb, 4, []int{8, 12}, 0, 1), edgeWeights{rank: nearWeights(4, 0)}, lengths{unit: 1}, 1)
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{Further: FurtherWeight{From: 2, To: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	sum := func() (total float64) {
		for q := range p.Similar.Index {
			total += p.weights.at(q) / 2
		}
		return total
	}
	for _, further := range []float64{0.5, 2, 2, 0, 0.5} {
		if m.weigh(weights{c: 1, further: further, kappa: 3}); math.Abs(sum()-40*(4+2*further)) > 1e-9 || m.c != 1 || m.kappa != 3 {
			t.Errorf("weight %v: all edges weigh %v", further, sum())
		}
	}
}

// TestSigmaOfTwo: the variances of two points are learnt as those of many, and the likelihood rises.
func TestSigmaOfTwo(t *testing.T) {
	x := normal(2, 3, 1)
	p := NewProblem(neighbors(t, x, 1), 1, Native)
	p.Field = farfield.NewAll(p.Bandwidth2, 2)
	m, err := NewModel(p, 2, ModelSettings{Sigma: Free})
	if err != nil {
		t.Fatal(err)
	}
	st := &State{Mu: vec.Of(2, 2, []float64{0, 0, 0.5, 0.25}), Sigma2: []float64{1, 1}}
	before := m.LogLikelihood(st)
	m.StepSigma(st)
	if after := m.LogLikelihood(st); !(after > before) || st.Sigma2[0] == 1 || st.Sigma2[1] == 1 {
		t.Errorf("variances %v; L was %v and is %v", st.Sigma2, before, after)
	}
}

// TestStatesOfOtherModels: a state of another number of points or dimensions is a mistake of the
// caller, which is named.
func TestStatesOfOtherModels(t *testing.T) {
	m, st, _ := learnt(t, blobs(60, 4), 2, ModelSettings{Steps: 4})
	for name, other := range map[string]*State{
		"fewer points": {Mu: st.Mu.Slice(0, 59), Sigma2: st.Sigma2[:59]}, "fewer variances": {Mu: st.Mu, Sigma2: st.Sigma2[:59]},
		"dimensions": {Mu: vec.New[float64](60, 3), Sigma2: st.Sigma2},
	} {
		for call, do := range map[string]func(){
			"Learn":         func() { _, _ = m.Learn(t.Context(), other, nil) },
			"Refine":        func() { _, _ = m.Refine(t.Context(), other, Refinement{Steps: 1}) },
			"Step":          func() { _, _ = m.Step(t.Context(), other) },
			"LogLikelihood": func() { m.LogLikelihood(other) },
		} {
			func() {
				defer func() {
					if text, _ := recover().(string); !strings.HasPrefix(text, "student: state of ") || !strings.Contains(text, "for a model of 60 points in 2 dimensions") {
						t.Errorf("%s, %s: %q", call, name, text)
					}
				}()
				do()
			}()
		}
	}
}
