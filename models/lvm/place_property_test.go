package lvm_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// permuted returns s with its reference points in another order.
func permuted(s *snapshot.Snapshot, order []int) *snapshot.Snapshot {
	out := *s
	out.Reference, out.Mu = vec.Take(s.Reference, order), vec.Take(s.Mu, order)
	out.Count = nil
	for _, i := range order {
		out.Count = append(out.Count, s.Count[i])
	}
	lists := []*[]float64{&out.Sigma2, &out.Bandwidth2, &out.KDist2, &out.Density}
	if s.Student != nil {
		st := *s.Student
		out.Student = &st
		lists = append(lists, &st.Error2)
	}
	for _, v := range lists {
		old := *v
		*v = nil
		for _, i := range order {
			*v = append(*v, old[i])
		}
	}
	return &out
}

// drawRule draws a rule, and gives s the matching tails.
func drawRule(rt *rapid.T, s *snapshot.Snapshot) (*snapshot.Snapshot, placing.Rule) {
	rule := rapid.SampledFrom([]placing.Rule{placing.Median, placing.EM, placing.Robust, placing.LLE}).Draw(rt, "rule")
	if rule == placing.Robust || rule == placing.LLE || rule == placing.Median && rapid.Bool().Draw(rt, "heavy") {
		s = modeltest.Heavy(s)
	}
	return s, rule
}

// Places, scales and novelties are the same bits for any order of the reference points. Neighbours
// are sorted by distance, and sums follow that order.
func TestPlacesDoNotDependOnTheOrderOfReferencePoints(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		n := rapid.IntRange(30, 120).Draw(rt, "n")
		dims := rapid.IntRange(1, 5).Draw(rt, "dims")
		s, _ := modeltest.Snapshot(t, seed, n, 6, 0, dims)
		order := rand.New(rand.NewPCG(seed, 3)).Perm(n)
		s, rule := drawRule(rt, s)
		set := placing.Options{
			Rule:      rule,
			Neighbors: rapid.IntRange(1, 30).Draw(rt, "neighbors"),
		}
		x := modeltest.Events(seed+1, 20, 6)
		a, b := mustPlace(t, s, set, x), mustPlace(t, permuted(s, order), set, x)
		for i, p := range b.Near.Index {
			b.Near.Index[i] = int32(order[p]) // its index before
		}
		if !reflect.DeepEqual(a, b) {
			rt.Fatal("the same reference points in another order place otherwise")
		}
	})
}

// Moving the whole map moves every place with it. Scale and novelty stay.
func TestPlacesMoveWithTheMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		s, _ := modeltest.Snapshot(t, seed, 60, 5, 0, 2)
		s, rule := drawRule(rt, s)
		moved := *s
		moved.Mu = s.Mu.Clone()
		dx, dy := rapid.Float64Range(-20, 20).Draw(rt, "dx"), rapid.Float64Range(-20, 20).Draw(rt, "dy")
		for i := range moved.Mu.Rows {
			moved.Mu.Row(i)[0] += dx
			moved.Mu.Row(i)[1] += dy
		}
		set := placing.Options{Rule: rule}
		x := modeltest.Events(seed+1, 20, 5)
		a, b := mustPlace(t, s, set, x), mustPlace(t, &moved, set, x)
		for i := range x.Rows {
			for c, d := range []float64{dx, dy} {
				if e := float64(b.Mu.Row(i)[c]) - float64(a.Mu.Row(i)[c]) - d; e > 1e-4 || e < -1e-4 {
					rt.Fatalf("event %d moves by %g more than the map", i, e)
				}
			}
			if e := float64(b.Sigma[i]/a.Sigma[i]) - 1; e > 1e-4 || e < -1e-4 {
				rt.Fatalf("event %d changes its scale from %g to %g", i, a.Sigma[i], b.Sigma[i])
			}
		}
		if !reflect.DeepEqual(a.NoveltyLocal, b.NoveltyLocal) || !reflect.DeepEqual(a.NoveltyGlobal, b.NoveltyGlobal) {
			rt.Fatal("novelty depends on where the map lies")
		}
	})
}
