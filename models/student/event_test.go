package student_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/models/student"
)

func mustPlace(t *testing.T, s *snapshot.Snapshot, set placing.Options, x vec.Matrix[float32]) models.Placed {
	t.Helper()
	p, err := student.NewPlacer(s, set)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// edge joins an event to reference point j with weight S_xj + S_jx.
type edge struct {
	j             int
	weight, dist2 float64
}

// heavyEdges finds an event's edges by brute force. One edge goes to each of the k nearest points;
// the m-th has a weight proportional to m^-decay, with the mean 1. One edge of weight b comes from
// each of the 40 nearest points whose bandwidth reaches the event.
func heavyEdges(s *snapshot.Snapshot, x []float32, k int, decay, b float64) (out []edge) {
	var all float64
	for m := range k {
		all += 1 / math.Pow(float64(m+1), decay)
	}
	var index []int
	for i := range s.Reference.Rows {
		index = append(index, i)
	}
	d := func(i int) float64 { return vec.SquaredDistance(x, s.Reference.Row(i)) }
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(d(a), d(b)) })
	for m, j := range index[:40] {
		e := edge{j: j, dist2: d(j)}
		if m < k {
			e.weight = float64(k) / all / math.Pow(float64(m+1), decay)
		}
		if d(j) <= s.Bandwidth2[j] {
			e.weight += b
		}
		out = append(out, e)
	}
	return out
}

// pairOf returns the pair of package student for an event at mu and an edge.
func pairOf(s *snapshot.Snapshot, e edge, mu []float64) student.Pair {
	st := s.Student
	return student.Pair{
		Scale2: min(max(e.dist2/st.Unit, st.Clip[0]), st.Clip[1]), Sigma2I: 0.1, Sigma2J: s.Sigma2[e.j],
		Dist2: vec.SquaredDistance(mu, s.Mu.Row(e.j)), Dims: len(mu), Tail: st.Tail,
	}
}

// An event's place maximises the likelihood of its edges. Its sigma is the error from the curvature
// there.
func TestRobustPlacesAreMostLikely(t *testing.T) {
	const k = 6
	for _, dims := range []int{2, 3} {
		s, _ := modeltest.Snapshot(t, 6, 150, 5, 0, dims)
		s = modeltest.Heavy(s)
		x := modeltest.Events(8, 60, 5)
		for _, c := range []struct {
			name     string
			decay, b float64
		}{{"the likelihood's own", 0, 1}, {"received twice", 0, 2}, {"by rank", .7, 1}, {"by rank, received twice", .7, 2}} {
			decay, b := c.decay, c.b
			set := placing.Options{Neighbors: k, RankDecay: decay, Received: b}
			p := mustPlace(t, s, set, x)
			set.Rule = placing.Median
			median := mustPlace(t, s, set, x)
			for i := range x.Rows {
				joined := heavyEdges(s, x.Row(i), k, decay, b)
				at := func(mu []float64) (l float64) {
					for _, e := range joined {
						l += e.weight * pairOf(s, e, mu).LogProb()
					}
					return l
				}
				wide := func(row []float32) []float64 { return vec.Convert[float64](vec.Of(1, dims, row)).Data }
				mu := wide(p.Mu.Row(i))
				l := at(mu)
				if start := at(wide(median.Mu.Row(i))); l < start-1e-6 {
					t.Errorf("event %d: the log-likelihood is %g, at the median %g", i, l, start)
				}
				for a := range dims {
					for _, h := range []float64{.02, -.02} {
						aside := slices.Clone(mu)
						aside[a] += h
						if v := at(aside); v > l+1e-6 {
							t.Errorf("d=%d, %s, event %d: the log-likelihood rises from %g to %g aside", dims, c.name, i, l, v)
						}
					}
				}
				var curvature float64
				for _, e := range heavyEdges(s, x.Row(i), k, decay, 1) {
					curvature += e.weight * pairOf(s, e, mu).Pull()
				}
				if want := 1 / math.Sqrt(curvature); math.Abs(float64(p.Sigma[i])-want) > 1e-5*want {
					t.Errorf("event %d has the error %g, want %g", i, p.Sigma[i], want)
				}
			}
		}
	}
}

// With locally linear weights, the place is the fixed point of the iteration with these weights.
func TestLLEPlacesByLinearWeights(t *testing.T) {
	const k, near = 6, 9
	s, _ := modeltest.Snapshot(t, 6, 150, 5, 0, 4)
	s = modeltest.Heavy(s)
	x := modeltest.Events(8, 40, 5)
	p := mustPlace(t, s, placing.Options{Neighbors: k, Received: 1}, x)
	negative := 0
	for i := range x.Rows {
		joined := heavyEdges(s, x.Row(i), 0, 0, 1)
		g := mat.NewDense(near, near, nil)
		for a := range near {
			for b := range near {
				for c, v := range x.Row(i) {
					g.Set(a, b, g.At(a, b)+float64(v-s.Reference.Row(joined[a].j)[c])*float64(v-s.Reference.Row(joined[b].j)[c]))
				}
			}
		}
		trace := mat.Trace(g)
		for a := range near {
			g.Set(a, a, g.At(a, a)+.01*trace)
		}
		var w mat.VecDense
		if err := w.SolveVec(g, mat.NewVecDense(near, slices.Repeat([]float64{1}, near))); err != nil {
			t.Fatal(err)
		}
		sum := mat.Sum(&w)
		for a := range near {
			v := w.AtVec(a) / sum
			if v < 0 {
				negative++
			}
			joined[a].weight += k * max(v, 0)
		}
		mu := vec.Convert[float64](vec.Of(1, 4, p.Mu.Row(i))).Data
		next, total := make([]float64, 4), 0.0
		for _, e := range joined {
			q := e.weight * pairOf(s, e, mu).Pull()
			total += q
			for c, v := range s.Mu.Row(e.j) {
				next[c] += q * v
			}
		}
		for c := range next {
			if math.Abs(next[c]/total-mu[c]) > 1e-4*(1+math.Abs(mu[c])) {
				t.Errorf("event %d is placed at %v, from where it goes on to %v/%g", i, mu, next, total)
				break
			}
		}
	}
	if negative == 0 {
		t.Error("no weight is negative; the test is void")
	}
}

// A point that is removed from the map and placed again has nearly the error that the map gives it,
// and lies near its old place.
func TestErrorsOfPlacedAndLearntAgree(t *testing.T) {
	const n = 450
	x := modeltest.Events(11, n, 6)
	fit, err := student.Fit(context.Background(), x, student.Settings{Common: models.Common{Seed: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := modeltest.Snapshot(t, 1, n, 6, 0, 2)
	s.Reference, s.Mu, s.Sigma2, s.Bandwidth2, s.Student = x, fit.Mu, fit.Sigma2, fit.Bandwidth2, fit.Student
	s.Neighbors = fit.Settings.Neighbors
	var off, moved []float64
	for i := 0; i < n; i += 3 {
		p := mustPlace(t, modeltest.Without(s, i), placing.Options{}, x.Slice(i, i+1))
		off = append(off, math.Abs(2*math.Log(float64(p.Sigma[0]))-math.Log(s.Student.Error2[i])))
		moved = append(moved, math.Sqrt(vec.SquaredDistance(vec.Convert[float64](p.Mu).Row(0), s.Mu.Row(i))))
	}
	slices.Sort(off)
	slices.Sort(moved)
	t.Logf("median |log ratio| of error^2 %.3f, median move %.3f", off[len(off)/2], moved[len(moved)/2])
	if off[len(off)/2] > .4 || moved[len(moved)/2] > 1.25 {
		t.Errorf("the median of |log(placed error^2 / learnt)| is %.2f, of the distance %.2f", off[len(off)/2], moved[len(moved)/2])
	}
}
