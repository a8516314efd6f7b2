package lllvm

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// anyModel draws points, a connected graph and settings at random.
func anyModel(rt *rapid.T) *Model {
	n, d := rapid.IntRange(5, 14).Draw(rt, "n"), rapid.IntRange(1, 2).Draw(rt, "d")
	dy := rapid.IntRange(d, 4).Draw(rt, "dy")
	y := vec.New[float64](n, dy)
	for i := range y.Data {
		y.Data[i] = rapid.Float64Range(-1, 1).Draw(rt, "y")
	}
	lists := make([][]int32, n)
	for i := 1; i < n; i++ { // a tree, and more
		lists[i] = append(lists[i], int32(rapid.IntRange(0, i-1).Draw(rt, "parent")))
	}
	for range rapid.IntRange(0, 2*n).Draw(rt, "more") {
		i, j := rapid.IntRange(0, n-1).Draw(rt, "i"), rapid.IntRange(0, n-1).Draw(rt, "j")
		if i != j {
			lists[i] = append(lists[i], int32(j))
		}
	}
	g, err := NewGraph(lists, 1)
	if err != nil {
		rt.Fatal(err)
	}
	m, err := NewModel(g, y, Settings{Dims: d, LearnAlpha: rapid.Bool().Draw(rt, "learn alpha")})
	if err != nil {
		rt.Fatal(err)
	}
	return m
}

// climbs runs steps and checks that no update lowers the bound, except when alpha jumps to its
// fixed value. It returns the bound.
func climbs(rt *rapid.T, m *Model, st *State, steps int) float64 {
	last := math.Inf(-1)
	for step := range steps {
		s, err := m.Step(st)
		if err != nil {
			if strings.Contains(err.Error(), "no variance left") {
				rt.Skip("reproduced exactly")
			}
			rt.Fatal(err)
		}
		for u, b := range []Bound{s.X, s.C, s.Gamma, s.Alpha} {
			if total := b.Total(); total < last-1e-8*(1+math.Abs(last)) && s.Jitter == 0 && (step > 0 || u < 3 || m.set.LearnAlpha) {
				rt.Fatalf("iteration %d, update %d: the bound falls from %.12g to %.12g", step+1, u, last, total)
			}
			last = b.Total()
		}
	}
	return last
}

// No update lowers the bound, except when alpha jumps to its fixed value. The bound equals the one
// that is recomputed from scratch.
func TestTheBoundNeverFalls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := anyModel(rt)
		st := m.Random(rapid.Uint64().Draw(rt, "seed"))
		last := climbs(rt, m, st, 6)
		if err := m.Evaluate(st); err != nil {
			rt.Fatal(err)
		}
		if got := st.Bound.Total(); math.Abs(got-last) > 1e-6*(1+math.Abs(last)) {
			rt.Errorf("the bound is %.12g from nothing, %.12g from the updates", got, last)
		}
	})
}

// The state does not depend on the number of threads.
func TestThreads(t *testing.T) {
	y := modeltest.SwissRoll(60)
	lists := nearest(t, y, 6)
	var want *State
	for _, threads := range []int{1, 2, 5} {
		g, err := NewGraph(lists, threads)
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewModel(g, y, Settings{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		st := m.Random(3)
		if _, err := m.Learn(context.Background(), st, Course{Steps: 4}); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = st
		}
		if !slices.Equal(st.MuX.Data, want.MuX.Data) || st.Bound != want.Bound {
			t.Errorf("%d threads give another map", threads)
		}
	}
}

func TestBadGraphsAndData(t *testing.T) {
	var apart *ComponentsError
	if _, err := NewGraph([][]int32{{1}, {0}, {3}, {2}}, 1); !errors.As(err, &apart) || !slices.Equal(apart.Size, []int{2, 2}) || !slices.Equal(apart.First, []int32{0, 2}) {
		t.Errorf("two components: %v", err)
	}
	for _, lists := range [][][]int32{{}, {{0}}, {{1}, {2}}, {{-1}, {0}}} {
		if _, err := NewGraph(lists, 1); err == nil {
			t.Errorf("the graph %v is taken", lists)
		}
	}
	path := [][]int32{{1}, {2}, {3}, {4}, {}}
	g, err := NewGraph(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	y := vec.New[float64](5, 3)
	for i := range y.Data {
		y.Data[i] = math.Sin(float64(i))
	}
	for _, s := range []Settings{{Dims: 4}, {Dims: -1}, {Alpha: -1}, {Epsilon: math.NaN()}} {
		if _, err := NewModel(g, y, s); err == nil {
			t.Errorf("settings %+v are taken", s)
		}
	}
	if _, err := NewModel(g, y, Settings{Dims: 3}); err != nil {
		t.Errorf("5 points in 3 dimensions: %v", err)
	}
	y.Row(2)[1] = math.Inf(1)
	var bad *models.RowError
	if _, err := NewModel(g, y, Settings{}); !errors.As(err, &bad) || bad.Row != 2 || bad.Column != 1 {
		t.Errorf("an infinity: %v", err)
	}
}

// Constant vectors have no noise to learn. The error says so and names the iteration.
func TestConstantVectors(t *testing.T) {
	g, err := NewGraph([][]int32{{1}, {2}, {3}, {4}, {}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewModel(g, vec.New[float64](5, 2), Settings{Dims: 1})
	if err != nil {
		t.Fatal(err)
	}
	h, err := m.Learn(context.Background(), m.Random(1), Course{Steps: 100, Tolerance: -1})
	if err == nil {
		for _, b := range h.Bounds {
			if math.IsNaN(b) || math.IsInf(b, 0) {
				t.Fatalf("a bound of %g", b)
			}
		}
	} else if !strings.Contains(err.Error(), "iteration") {
		t.Errorf("%v", err)
	}
}
