package lllvm

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/modeltest"
)

// failer is a test or a check of rapid.
type failer interface {
	Helper()
	Fatal(...any)
}

// inPatches returns the graph of the neighbours, divided into patches.
func inPatches(t failer, neighbors [][]int32, points, threads int) *Graph {
	t.Helper()
	g, err := NewPatchedGraph(neighbors, points, threads)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// patched returns two models of a swiss roll: the exact one and one in patches.
func patched(tb testing.TB, n, points int, s Settings) (whole, parts *Model) {
	tb.Helper()
	y := modeltest.SwissRoll(n)
	lists := nearest(tb, y, 7)
	out := make([]*Model, 2)
	for i, most := range []int{0, points} {
		var err error
		if out[i], err = NewModel(inPatches(tb, lists, most, 0), y, s); err != nil {
			tb.Fatal(err)
		}
	}
	return out[0], out[1]
}

// The shares of every edge sum to one, patches are connected, and the log-determinants of the
// priors equal those of the graph.
func TestPatchesShareTheEdges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := anyModel(rt)
		g := inPatches(rt, m.g.Neighbors, rapid.IntRange(1, 8).Draw(rt, "points"), 1)
		sum := vec.New[float64](g.Len(), g.Len())
		for _, p := range g.parts {
			if _, size := components(p.lists); len(size) != 1 {
				rt.Fatalf("a patch of %d components", len(size))
			}
			for i, list := range p.lists {
				degree := 0.0
				for k, j := range list {
					sum.Row(int(p.points[i]))[p.points[j]] += p.weights[i][k]
					degree += p.weights[i][k]
				}
				if math.Abs(degree-p.degree[i]) > 1e-12 {
					rt.Fatalf("weights of %g, degree %g", degree, p.degree[i])
				}
			}
		}
		for i, list := range g.Neighbors {
			for j, w := range sum.Row(i) {
				want := 0.0
				if slices.Contains(list, int32(j)) {
					want = 1
				}
				if math.Abs(w-want) > 1e-12 {
					rt.Fatalf("edge %d, %d has the weight %g, want %g", i, j, w, want)
				}
			}
		}
		closeTo(rt, "log determinant of L", g.logDet, m.g.logDet)
		shifted, err := g.logDetShifted(.3, 1)
		if err != nil {
			rt.Fatal(err)
		}
		want, trace := 0.0, 0.0
		for _, w := range m.g.eigenvalues() {
			want += math.Log(.3 + 2*w)
			trace += 1 / (.3 + 2*w)
		}
		closeTo(rt, "log determinant of alpha + 2L", shifted, want)
		got, err := g.traceShifted(.3, 1)
		if err != nil {
			rt.Fatal(err)
		}
		closeTo(rt, "trace of its inverse", got, trace)
	})
}

func closeTo(t interface{ Errorf(string, ...any) }, what string, got, want float64) {
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

// With patches the bound never falls, and it is a lower bound of the exact one: at fixed x and C
// the penalty in the log-likelihood is never smaller.
func TestPatchesBoundTheBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := anyModel(rt)
		g := inPatches(rt, m.g.Neighbors, rapid.IntRange(1, 8).Draw(rt, "points"), 1)
		parts, err := NewModel(g, m.y, m.set)
		if err != nil {
			rt.Fatal(err)
		}
		st := parts.Random(rapid.Uint64().Draw(rt, "seed"))
		last := climbs(rt, parts, st, 4)
		closeTo(rt, "the bound from nothing", evaluated(rt, parts, st), last)
		// Without covariances both models can be given the same state.
		point := func(of *Model) *State {
			return &State{MuX: st.MuX, MuC: st.MuC, CovX: of.g.tree.NewMatrix(m.set.Dims), CovC: of.g.tree.NewMatrix(m.set.Dims), Gamma: st.Gamma, Alpha: st.Alpha}
		}
		exact, lower := point(m), point(parts)
		m.likelihood(exact)
		parts.likelihood(lower)
		closeTo(rt, "tr mu_C'H", lower.th, exact.th)
		if lower.t < exact.t-1e-9*(1+exact.t) {
			rt.Errorf("T is %g in patches, %g in all: the bound is higher", lower.t, exact.t)
		}
	})
}

func evaluated(rt *rapid.T, m *Model, st *State) float64 {
	s := st.Clone()
	if err := m.Evaluate(s); err != nil {
		rt.Fatal(err)
	}
	return s.Bound.Total()
}

// The updates with patches agree with those of the dense precisions that the patches sum to.
func TestPatchesAreSolvedExactly(t *testing.T) {
	_, m := patched(t, 120, 20, Settings{Epsilon: .05, Alpha: .01})
	st := m.Random(5)
	for range 3 {
		if _, err := m.Step(st); err != nil {
			t.Fatal(err)
		}
	}
	a := m.g.tree.NewMatrix(2)
	m.blocks(a, func(part, r, s int) vec.Matrix[float64] { return m.momentsX(st, part, r, s) }, -1, st.Gamma/2, precision)
	n, d := m.g.Len(), m.set.Dims
	dense := vec.New[float64](n*d, n*d)
	for f, front := range m.g.tree.Fronts {
		for i := range front.Len() {
			for j := range front.Len() {
				for r := range d {
					for s := range d {
						p, q := a.Index(f, r, i), a.Index(f, s, j)
						dense.Row(r*n + int(front.At(i)))[s*n+int(front.At(j))] += a.Fronts[f].Row(max(p, q))[min(p, q)]
					}
				}
			}
		}
	}
	for r := range d {
		for i := range n {
			for j := range n {
				dense.Row(r*n + i)[r*n+j] += m.set.Epsilon
			}
		}
	}
	if _, err := m.UpdateC(st); err != nil {
		t.Fatal(err)
	}
	if err := spd.Factor(dense, 1); err != nil {
		t.Fatal(err)
	}
	closeTo(t, "log determinant", -st.kl[ofC].logDet, spd.LogDet(dense))
	mean := m.h.Clone()
	vec.Scale(st.Gamma, mean.Data)
	spd.Solve(dense, mean, 1)
	if e := vec.SquaredDistance(mean.Data, st.MuC.Data); !(e < 1e-18*vec.SquaredNorm(mean.Data)) {
		t.Errorf("the mean is off by %g", math.Sqrt(e))
	}
	spd.Invert(dense, 1)
	ones := 0.0
	for r := range d {
		for i := range n {
			for j := range n {
				ones += dense.Row(r*n + i)[r*n+j]
			}
		}
	}
	closeTo(t, "the sum of the covariance", st.ones, ones)
	for f, front := range m.g.tree.Fronts {
		for i := range front.Len() {
			for j := range front.Len() {
				for k := range d * d {
					r, s := k/d, k%d
					want := dense.Row(r*n + int(front.At(i)))[s*n+int(front.At(j))]
					if got := st.CovC.Fronts[f].Row(st.CovC.Index(f, r, i))[st.CovC.Index(f, s, j)]; !(math.Abs(got-want) < 1e-10) {
						t.Fatalf("the covariance of %d, %d is %g, want %g", front.At(i), front.At(j), got, want)
					}
				}
			}
		}
	}
}

// Larger patches give a higher bound, which never exceeds the exact bound. The result is the same
// for any number of threads.
func TestLargerPatchesAreCloser(t *testing.T) {
	bound := func(m *Model) float64 {
		st := m.Random(1)
		if _, err := m.Learn(context.Background(), st, Course{Steps: 8, Tolerance: -1}); err != nil {
			t.Fatal(err)
		}
		return st.Bound.Total()
	}
	exact, _ := patched(t, 300, 40, Settings{})
	last, best := math.Inf(-1), bound(exact)
	for _, points := range []int{20, 80, 160} {
		_, m := patched(t, 300, points, Settings{})
		_, one := patched(t, 300, points, Settings{Threads: 1})
		count, largest := m.g.Patches()
		b := bound(m)
		if !(b > last) || !(b < best) || count < 2 || largest > 3*points {
			t.Errorf("the bound is %g in %d patches of at most %d points, %g in smaller ones, %g in all", b, count, largest, last, best)
		}
		if b != bound(one) {
			t.Error("the bound depends on the number of threads")
		}
		last = b
	}
	if best-last > .05*math.Abs(best) {
		t.Errorf("the bound is %g in two patches, %g in all", last, best)
	}
}

// A model with a single patch of all points equals the exact model. A model with several patches
// rejects a covariance of all points.
func TestOnePatchIsTheModel(t *testing.T) {
	exact, same := patched(t, 60, 60, Settings{})
	if count, largest := same.g.Patches(); count != 1 || largest != 60 || !same.g.exact() {
		t.Errorf("%d patches of %d points", count, largest)
	}
	a, b := exact.Random(3), same.Random(3)
	for _, c := range []struct {
		m  *Model
		st *State
	}{{exact, a}, {same, b}} {
		if _, err := c.m.Step(c.st); err != nil {
			t.Fatal(err)
		}
	}
	if a.Bound != b.Bound {
		t.Errorf("the bound is %v, want %v", b.Bound, a.Bound)
	}
	_, m := patched(t, 60, 20, Settings{})
	if _, err := m.Start(vec.New[float64](m.size(), 3), vec.New[float64](m.size(), m.size()), 1, 1); err == nil {
		t.Error("a start with the covariance of all points is taken")
	}
	alpha, err := m.bestAlpha(&State{MuX: a.MuX, CovX: m.Random(1).CovC})
	if err != nil {
		t.Fatal(err)
	}
	want, err := exact.bestAlpha(&State{MuX: a.MuX, CovX: exact.Random(1).CovC})
	if err != nil {
		t.Fatal(err)
	}
	closeTo(t, "alpha", alpha, want)
}

// An indefinite matrix, caused here by an invalid covariance, is reported with the iteration, the
// quantity and the amount that was added to the diagonal.
func TestLostDefinitenessIsReported(t *testing.T) {
	for _, points := range []int{0, 15} {
		for what, spoil := range map[string]func(st *State){
			"q(x)": func(st *State) { st.CovC.AddDiagonal(-1e6) },
			"q(C)": func(st *State) { st.MuX.Data[0] = math.NaN() },
		} {
			_, m := patched(t, 50, points, Settings{})
			st := m.Random(2)
			if _, err := m.Learn(context.Background(), st, Course{Steps: 2, Tolerance: -1}); err != nil {
				t.Fatal(err)
			}
			spoil(st)
			var err error
			if what == "q(x)" {
				_, err = m.Learn(context.Background(), st, Course{Steps: 3})
			} else {
				_, err = m.UpdateC(st)
			}
			var lost *IndefiniteError
			if !errors.As(err, &lost) || !strings.Contains(err.Error(), "the precision of "+what) {
				t.Fatalf("%d points: %v", points, err)
			}
			if what == "q(C)" {
				if lost.Jitter != 0 || !strings.Contains(err.Error(), "nothing can be added") {
					t.Errorf("NaN: %v", err)
				}
				continue
			}
			if !strings.HasPrefix(err.Error(), "iteration 1: ") {
				t.Errorf("the error does not name the iteration: %v", err)
			}
		}
	}
	// A matrix with a positive mean diagonal is raised up to the limit.
	_, m := patched(t, 50, 0, Settings{})
	a := m.g.tree.NewMatrix(2)
	calls := 0
	jitter, err := m.factor(a, func() {
		calls++
		a.Clear()
		a.AddDiagonal(1)
		a.AddTo(1, 7, -2)
	})
	var lost *IndefiniteError
	if !errors.As(err, &lost) || lost.Jitter != jitter || !(jitter > 5e-3 && jitter < 2e-2) || calls != jitters+1 || !strings.Contains(err.Error(), "coordinate 1 of point 7") || !strings.Contains(err.Error(), "added to a diagonal") {
		t.Errorf("after %d tries, %g added: %v", calls, jitter, err)
	}
	// A matrix that only rounding made indefinite is repaired.
	calls = 0
	jitter, err = m.factor(a, func() {
		calls++
		a.Clear()
		a.AddDiagonal(1)
		a.AddTo(0, 3, -1-1e-9)
	})
	if err != nil || calls < 3 || !(jitter > 1e-9 && jitter < 1e-7) {
		t.Errorf("after %d tries %g added: %v", calls, jitter, err)
	}
}
