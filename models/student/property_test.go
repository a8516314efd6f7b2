package student

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/models/prior"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// neighbors returns the k nearest neighbours of the rows of x.
func neighbors(t interface{ Fatal(...any) }, x vec.Matrix[float32], k int) *knn.Neighbors {
	nb, err := knn.Graph(context.Background(), x, k, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return nb
}

// normal returns n points of one normal distribution.
func normal(n, dim int, seed uint64) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(seed, 2))
	x := vec.New[float32](n, dim)
	for k := range x.Data {
		x.Data[k] = float32(r.NormFloat64())
	}
	return x
}

// drawn returns a small random model over all pairs and a random state.
func drawn(t *rapid.T, s ModelSettings) (*Model, *State) {
	n, d := rapid.IntRange(3, 40).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
	if s.Majoriser == Global {
		d = 2
	} else {
		s.Tail = rapid.SampledFrom([]float64{0, .5, 2, 8}).Draw(t, "a")
	}
	x := normal(n, 3, rapid.Uint64().Draw(t, "data"))
	k := min(n-1, rapid.IntRange(1, 6).Draw(t, "k"))
	nb := neighbors(t, x, k)
	var beyond *knn.Neighbors
	if rapid.Bool().Draw(t, "further edges") {
		beyond = further(x, nb, k, []int{k + 1, k + 3}, distance.Euclidean, 1)
		s.Further = FurtherWeight{To: rapid.Float64Range(0, 2).Draw(t, "their weight")}
	}
	density := rapid.SampledFrom([]float64{0, 1, 2.5}).Draw(t, "density")
	near := edgeWeights{rank: nearWeights(k, rapid.SampledFrom([]float64{0, .5, 3}).Draw(t, "rank decay"))}
	if rapid.Bool().Draw(t, "labels") {
		near.class = rapid.SliceOfN(rapid.Int32Range(-1, 2), n, n).Draw(t, "classes")
		near.supervision = rapid.Float64Range(0, 1).Draw(t, "supervision")
	}
	p := newProblem(nb, beyond, near, newLengths(nb, k, Settings{Options: Options{Density: density}}, Native.Unit(nb, k)), 1)
	p.Field = farfield.NewAll(p.Bandwidth2, d)
	s.Weight = math.Exp(rapid.Float64Range(-4, 1).Draw(t, "log c"))
	m, err := NewModel(p, d, s)
	if err != nil {
		t.Fatal(err)
	}
	st := scattered(n, d, math.Exp(rapid.Float64Range(-2, 2).Draw(t, "spread")), s.Sigma, rapid.Uint64().Draw(t, "state"))
	if rapid.Bool().Draw(t, "prior") {
		frame := scattered(n, d, 1, Fixed, rapid.Uint64().Draw(t, "frame")).Mu
		frame.Row(n / 2)[0] = math.NaN() // a free point
		m.SetPrior(prior.New(frame), prior.Schedule{To: rapid.Float64Range(0, 2).Draw(t, "kappa")})
	}
	return m, st
}

// scattered returns a random state.
func scattered(n, d int, spread float64, sigma Sigma, seed uint64) *State {
	r := rand.New(rand.NewPCG(seed, 5))
	st := &State{Mu: vec.New[float64](n, d), Sigma2: make([]float64, n)}
	for k := range st.Mu.Data {
		st.Mu.Data[k] = spread * r.NormFloat64()
	}
	for i := range st.Sigma2 {
		st.Sigma2[i] = 0.1
		if sigma != Shared {
			st.Sigma2[i] *= math.Exp(r.NormFloat64())
		}
	}
	return st
}

// objective returns the value that learning maximises.
func objective(m *Model, st *State) float64 { return m.LogLikelihood(st) + m.LogPrior(st) }

// TestLikelihoodNeverFalls: with damping 1 and without momentum, no half step of EM lowers the
// likelihood with the prior. The same holds for the tighter majoriser, and for any tolerance of the
// solver.
func TestLikelihoodNeverFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, st := drawn(t, ModelSettings{
			Majoriser: rapid.SampledFrom([]Majoriser{EM, Global}).Draw(t, "majoriser"), Damping: 1,
			Sigma:     rapid.SampledFrom([]Sigma{Fixed, Shared, Free}).Draw(t, "sigma"),
			Tolerance: rapid.SampledFrom([]float64{1e-14, 1e-2, 0.5}).Draw(t, "tolerance"),
		})
		last := objective(m, st)
		check := func(what string, step int) {
			l := objective(m, st)
			if !(l >= last-1e-10*math.Abs(last)) {
				t.Fatalf("%s step %d: the log-likelihood falls from %.15g to %.15g", what, step, last, l)
			}
			last = l
		}
		for step := range 10 {
			if _, err := m.StepMu(context.Background(), st); err != nil {
				t.Fatal(err)
			}
			check("mu", step)
			m.StepSigma(st)
			check("sigma", step)
			if slices.Min(st.Sigma2) <= 0 {
				t.Fatalf("step %d: a variance is %v", step, slices.Min(st.Sigma2))
			}
		}
	})
}

// TestGradients compares both gradients with differences of the log-likelihood with the prior.
func TestGradients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, st := drawn(t, ModelSettings{Majoriser: EM})
		_, grad := m.Assemble(st)
		compare := func(what string, at *float64, h, want, scale float64) {
			x := *at
			*at = x + h
			up := objective(m, st)
			*at = x - h
			slope := (up - objective(m, st)) / (2 * h)
			*at = x
			if math.Abs(slope-want) > 1e-5*scale+1e-10*math.Abs(up)/h {
				t.Fatalf("gradient in %s %v, differences say %v", what, want, slope)
			}
		}
		largest := func(v []float64) (out float64) {
			for _, x := range v {
				out = max(out, math.Abs(x))
			}
			return out
		}
		k := rapid.IntRange(0, len(st.Mu.Data)-1).Draw(t, "entry")
		i := k / st.Mu.Cols
		compare("mu", &st.Mu.Data[k], 1e-4*math.Sqrt(st.Sigma2[i]), grad.Data[k], largest(grad.Data))
		slopes := slices.Clone(m.Slopes(st))
		compare("sigma2", &st.Sigma2[i], 1e-4*st.Sigma2[i], slopes[i], largest(slopes))
	})
}

// TestPermutation: permuting the points permutes the map.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(8, 60).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
		seed := rapid.Uint64().Draw(t, "seed")
		x, st := normal(n, 3, seed), scattered(n, d, 3, Free, seed)
		perm := rand.New(rand.NewPCG(seed, 9)).Perm(n)
		learn := func(x vec.Matrix[float32], st *State) (*State, float64) {
			p := NewProblem(neighbors(t, x, 4), 4, Native)
			p.Field = farfield.NewAll(p.Bandwidth2, d)
			m, err := NewModel(p, d, ModelSettings{Steps: 4, Sigma: Free, Tolerance: 1e-13, Sweeps: -1})
			if err != nil {
				t.Fatal(err)
			}
			r, err := m.Learn(context.Background(), st, nil)
			if err != nil {
				t.Fatal(err)
			}
			return st, r.Loglik
		}
		turned := &State{Mu: vec.Take(st.Mu, perm)}
		for _, i := range perm {
			turned.Sigma2 = append(turned.Sigma2, st.Sigma2[i])
		}
		a, la := learn(x, st)
		b, lb := learn(vec.Take(x, perm), turned)
		scale := 0.0
		for _, v := range a.Mu.Data {
			scale = max(scale, math.Abs(v))
		}
		if math.Abs(la-lb) > 1e-7*math.Abs(la) {
			t.Fatalf("log-likelihood %.15g, permuted %.15g", la, lb)
		}
		for q, i := range perm {
			for c, v := range b.Mu.Row(q) {
				if math.Abs(v-a.Mu.Row(i)[c]) > 1e-6*scale {
					t.Fatalf("point %d is at %v, permuted at %v", i, a.Mu.Row(i), b.Mu.Row(q))
				}
			}
		}
	})
}

// TestThreadsDoNotMatter: the result is the same bits for any number of threads.
func TestThreadsDoNotMatter(t *testing.T) {
	const n = 2100 // more than one piece of rows
	x := normal(n, 4, 1)
	nb := neighbors(t, x, 6)
	for _, d := range []int{2, 3, 6} {
		var first *State
		var loglik float64
		for _, threads := range []int{1, 2, 7} {
			p := NewProblem(nb, 6, Native)
			if d == 2 {
				p.Field = farfield.NewAll(p.Bandwidth2, d)
			} else {
				p.Field = farfield.NewShared(p.Bandwidth2, d, farfield.SharedSettings{Seed: 3})
			}
			m, err := NewModel(p, d, ModelSettings{Steps: 3, Sigma: Shared, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			st := scattered(n, d, 5, Shared, 1)
			r, err := m.Learn(context.Background(), st, nil)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first, loglik = st, r.Loglik
			} else if r.Loglik != loglik || !slices.Equal(st.Mu.Data, first.Mu.Data) || !slices.Equal(st.Sigma2, first.Sigma2) {
				t.Errorf("d = %d: %d threads give another map", d, threads)
			}
		}
	}
}
