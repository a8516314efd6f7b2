package saul

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/prior"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/spectral"
)

// problem is a random data set with random settings.
type problem struct {
	x vec.Matrix[float32]
	s Settings
}

func drawProblem(t *rapid.T) problem {
	n := rapid.IntRange(12, 70).Draw(t, "n")
	return problem{
		x: modeltest.Blobs(n, rapid.IntRange(1, 6).Draw(t, "dim"), rapid.Uint64().Draw(t, "data")),
		s: Settings{Common: models.Common{Dims: rapid.IntRange(1, 5).Draw(t, "d"), Neighbors: rapid.IntRange(2, 6).Draw(t, "k"), Seed: rapid.Uint64().Draw(t, "seed"), Threads: 1}, Options: Options{Core: rapid.IntRange(1, 3).Draw(t, "s"), Level: LevelOf(rapid.IntRange(0, 3).Draw(t, "l"))}},
	}
}

// model returns the model of a problem and its starting state.
func (p problem) model(t *rapid.T, tolerance float64) (*Model, *landmark.Pairs, *State) {
	c := p.constants(t, nil)
	st, err := Start(context.Background(), c, p.s.Dims, StartSettings{})
	if err != nil {
		t.Fatal(err)
	}
	return NewModel(c, p.s.Dims, ModelSettings{Tolerance: tolerance, Threads: 1}), c, st
}

// constants returns the constants of a problem.
func (p problem) constants(t *rapid.T, choose func(landmark.Group) []int32) *landmark.Pairs {
	ctx := context.Background()
	nb, err := knn.Graph(ctx, p.x, p.s.Neighbors, knn.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Build(ctx, p.x, nb, graph.Settings{Core: p.s.Core, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, err := landmark.New(ctx, p.x, g, landmark.Settings{Level: p.s.Level.Resolve(g.N), Seed: p.s.Seed, Choose: choose, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// simple reports whether the eigenvalues that a start in d dimensions depends on are distinct.
// Otherwise the eigenvectors, and so the map, are arbitrary.
func simple(t *rapid.T, c *landmark.Pairs, d int) bool {
	r, err := spectral.Lowest(context.Background(), c.Similar, min(d+1, c.N-1), spectral.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k < len(r.Values); k++ {
		if r.Values[k]-r.Values[k-1] < 1e-3*r.Values[k] {
			return false
		}
	}
	return true
}

// Without momentum, each half step of EM keeps or raises the likelihood plus prior: at any level,
// for any tolerance of the solver, with one variance for each point or one for all.
func TestLikelihoodNeverFalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		m, _, st := p.model(t, rapid.SampledFrom([]float64{1e-14, 1e-2, 0.5}).Draw(t, "tolerance"))
		if rapid.Bool().Draw(t, "prior") {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "frame"), 7))
			frame := vec.New[float64](st.Mu.Rows, st.Mu.Cols)
			for k := range frame.Data {
				frame.Data[k] = r.NormFloat64()
			}
			m.SetPrior(prior.New(frame), math.Exp(rapid.Float64Range(-6, 3).Draw(t, "log kappa")))
		}
		if m.s.Shared = rapid.Bool().Draw(t, "shared"); m.s.Shared {
			st.tie()
		}
		last := m.LogLikelihood(st) + m.LogPrior(st)
		check := func(what string, step int) {
			l := m.LogLikelihood(st) + m.LogPrior(st)
			if !(l >= last-1e-10*math.Abs(last)) {
				t.Fatalf("%s step %d: the log-likelihood falls from %.15g to %.15g", what, step, last, l)
			}
			last = l
		}
		for step := range 15 {
			if _, err := m.StepMu(context.Background(), st); err != nil {
				t.Fatal(err)
			}
			check("mu", step)
			m.StepSigma(st)
			check("sigma", step)
		}
	})
}

// The sweeps over blocks agree with eq 6, 11, 17, 20 and 21 evaluated pair by pair, at a random
// state.
func TestSweepsAgainstPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		m, c, st := p.model(t, 1e-2)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "state"), 5))
		for k := range st.Mu.Data {
			st.Mu.Data[k] *= 1 + 3*r.NormFloat64()
		}
		for k := range st.Sigma2 {
			st.Sigma2[k] *= math.Exp(3 * r.NormFloat64())
		}
		d := p.s.Dims
		loglik, grad, top := 0.0, vec.New[float64](c.N, d), make([]float64, c.N)
		pair := func(i, j int32, scale2 float64) Pair {
			return Pair{
				Scale2: scale2, Sigma2I: st.Sigma2[i], Sigma2J: st.Sigma2[j],
				Dist2: vec.SquaredDistance(st.Mu.Row(int(i)), st.Mu.Row(int(j))), Dims: d,
			}
		}
		add := func(i, j int32, w float64) { // w (mu_i - mu_j) to the gradient at i
			for c := range d {
				grad.Row(int(i))[c] += w * (st.Mu.Row(int(i))[c] - st.Mu.Row(int(j))[c])
			}
		}
		for i := range int32(c.N) {
			to, w := c.Similar.Row(int(i))
			for k, j := range to {
				q := pair(i, j, c.SimilarDelta2[c.Similar.Start[i]+k])
				loglik += w[k] / 2 * q.LogProb()
				add(i, j, -w[k]*q.Pull()/q.Sigma2I)
				top[i] += w[k] * q.Phi()
			}
		}
		c.Each(func(i, j int32, w, Delta float64) {
			q := pair(i, j, Delta*Delta)
			loglik += w * q.LogOther()
			add(i, j, w*q.Push()/q.Sigma2I)
			add(j, i, w*q.Swap().Push()/q.Sigma2J)
			top[i] += w * q.Psi()
			top[j] += w * q.Swap().Psi()
		})
		close := func(what string, got, want, scale float64) {
			if !(math.Abs(got-want) <= 1e-9*scale) {
				t.Fatalf("%s is %.15g, pair by pair %.15g", what, got, want)
			}
		}
		close("log-likelihood", m.LogLikelihood(st), loglik, math.Abs(loglik))
		_, got := m.Assemble(st)
		scale := 0.0
		for _, v := range grad.Data {
			scale = max(scale, math.Abs(v))
		}
		for k, v := range grad.Data {
			close("gradient", got.Data[k], v, scale)
		}
		before := slices.Clone(st.Sigma2)
		m.StepSigma(st)
		for i, v := range top {
			want := v / (float64(d) * (m.similar.total[i] + c.Weight[i]))
			close("sigma^2", st.Sigma2[i], want, max(want, before[i]))
		}
	})
}

// The right-hand side of eq 20, in its form for the increment, agrees with differences of the
// log-likelihood.
func TestGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, _, st := drawProblem(t).model(t, 1e-2)
		_, g := m.Assemble(st)
		g = g.Clone()
		var scale float64
		for _, v := range g.Data {
			scale = max(scale, math.Abs(v))
		}
		k := rapid.IntRange(0, len(st.Mu.Data)-1).Draw(t, "entry")
		x, h := st.Mu.Data[k], 1e-4*math.Sqrt(st.Sigma2[k/st.Mu.Cols])
		st.Mu.Data[k] = x + h
		up := m.LogLikelihood(st)
		st.Mu.Data[k] = x - h
		slope := (up - m.LogLikelihood(st)) / (2 * h)
		if math.Abs(slope-g.Data[k]) > 1e-5*scale+1e-10*math.Abs(up)/h {
			t.Fatalf("gradient %v, differences say %v", g.Data[k], slope)
		}
	})
}

// Permuting the rows permutes the map, given the same landmarks.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		p.s.Steps, p.s.Tolerance = 5, 1e-14
		n := p.x.Rows
		perm := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1)).Perm(n)
		// The landmarks are the nodes whose original row has the smallest hash.
		choose := func(row func(int32) int32) func(landmark.Group) []int32 {
			return func(g landmark.Group) []int32 {
				nodes := slices.Clone(g.Nodes)
				slices.SortFunc(nodes, func(a, b int32) int {
					return int(row(a)*7919%104729) - int(row(b)*7919%104729)
				})
				return nodes[:g.Want]
			}
		}
		original := choose(func(i int32) int32 { return i })
		if !simple(t, p.constants(t, original), p.s.Dims) {
			t.Skip("repeated eigenvalues")
		}
		a, err := fit(context.Background(), p.x, p.s, original, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := fit(context.Background(), vec.Take(p.x, perm), p.s, choose(func(i int32) int32 { return int32(perm[i]) }), nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(a.Report.Loglik-b.Report.Loglik) > 1e-6*math.Abs(a.Report.Loglik) || a.Report.Pairs != b.Report.Pairs || a.Report.Edges != b.Report.Edges {
			t.Fatalf("reports differ:\n%+v\n%+v", a.Report, b.Report)
		}
		var scale float64
		for _, v := range a.Mu.Data {
			scale = max(scale, math.Abs(v))
		}
		// The sign of an eigenvector is chosen by its largest entry, which rounding may change in a
		// tie. The test compares distances to the first row, which do not depend on signs.
		for q, i := range perm {
			da := math.Sqrt(vec.SquaredDistance(a.Mu.Row(i), a.Mu.Row(perm[0])))
			db := math.Sqrt(vec.SquaredDistance(b.Mu.Row(q), b.Mu.Row(0)))
			if math.Abs(da-db) > 1e-5*scale || math.Abs(a.Sigma2[i]-b.Sigma2[q]) > 1e-5*a.Sigma2[i] {
				t.Fatalf("row %d is %v (sigma^2 %v) from the first, permuted %v (%v)", i, da, a.Sigma2[i], db, b.Sigma2[q])
			}
		}
	})
}

// EM at random states, levels and dimensions gives the same result for any number of threads.
func TestStepsDoNotDependOnThreads(t *testing.T) {
	ctx := context.Background()
	x := modeltest.Blobs(2100, 4, 9)
	nb, err := knn.Graph(ctx, x, 5, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Build(ctx, x, nb, graph.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		level, d := rapid.IntRange(1, 3).Draw(t, "l"), rapid.IntRange(1, 4).Draw(t, "d")
		seed := rapid.Uint64().Draw(t, "seed")
		run := func(threads int) (*State, float64) {
			c, err := landmark.New(ctx, x, g, landmark.Settings{Level: level, Seed: seed, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(seed, 6))
			st := &State{Mu: vec.New[float64](c.N, d), Sigma2: make([]float64, c.N)}
			for k := range st.Mu.Data {
				st.Mu.Data[k] = r.NormFloat64()
			}
			for k := range st.Sigma2 {
				st.Sigma2[k] = math.Exp(r.NormFloat64())
			}
			m := NewModel(c, d, ModelSettings{Threads: threads})
			for range 2 {
				if _, err := m.Step(ctx, st, 0.9); err != nil {
					t.Fatal(err)
				}
			}
			return st, m.LogLikelihood(st)
		}
		want, wantL := run(1)
		threads := rapid.IntRange(2, 8).Draw(t, "threads")
		if got, l := run(threads); l != wantL || !slices.Equal(got.Mu.Data, want.Mu.Data) || !slices.Equal(got.Sigma2, want.Sigma2) {
			t.Fatalf("%d threads give another map", threads)
		}
	})
}

// A block that is divided into strips gives the same sums as the undivided block.
func TestStripsAgainstWhole(t *testing.T) {
	x := modeltest.Blobs(900, 3, 8)
	ctx := context.Background()
	nb, err := knn.Graph(ctx, x, 5, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Build(ctx, x, nb, graph.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := landmark.New(ctx, x, g, landmark.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []int{1, 2, 3} {
		st, err := Start(ctx, c, d, StartSettings{})
		if err != nil {
			t.Fatal(err)
		}
		strips, whole := newBlocks(c, d), newBlocks(c, d)
		if len(strips.tasks) < 2 || !strips.tasks[0].strip {
			t.Fatalf("%d tasks: the block was not cut", len(strips.tasks))
		}
		whole.tasks = []task{{first: 0, last: 1, work: newWork(d)}}
		for _, stat := range []*statistic{&pushes, &spreads} {
			for _, b := range []*blocks{strips, whole} {
				b.gather(2, st.Mu.Data, st.Sigma2)
				b.sweep(2, stat)
			}
			for col := range stat.columns(d) {
				var scale float64
				for _, v := range whole.sum[col] {
					scale = max(scale, math.Abs(v))
				}
				for e, v := range whole.sum[col] {
					if math.Abs(v-strips.sum[col][e]) > 1e-11*scale {
						t.Fatalf("d = %d: entry %d is %v in strips, %v in one piece", d, e, strips.sum[col][e], v)
					}
				}
			}
		}
	}
}
