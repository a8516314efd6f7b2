package student_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/modeltest"
	"unfold/models/snapshot"
	"unfold/models/student"
)

// slowLogLik is the log-likelihood of the lengths of an event's k edges (H25) by brute force: all
// distances, weights by rank, and the numeric derivative of the probability of being close.
func slowLogLik(s *snapshot.Snapshot, x, mu []float32, k int, decay float64) (sum float64) {
	type near struct {
		j     int
		dist2 float64
	}
	var all []near
	for j := range s.Reference.Rows {
		if d := vec.SquaredDistance(x, s.Reference.Row(j)); d > 0 {
			all = append(all, near{j, d})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.dist2, b.dist2) })
	weight, total, sigma2 := make([]float64, k), 0.0, 0.0
	for m := range weight {
		weight[m] = math.Pow(float64(m+1), -decay)
		total += weight[m]
	}
	for m := range weight {
		weight[m] *= float64(k) / total
		sigma2 += weight[m] * s.Sigma2[all[m].j] / float64(k)
	}
	for m, e := range all[:k] {
		var r2 float64
		for c, v := range s.Mu.Row(e.j) {
			r2 += (float64(mu[c]) - v) * (float64(mu[c]) - v)
		}
		close := func(t float64) float64 {
			v := t + sigma2 + s.Sigma2[e.j]
			return math.Pow(t/v, float64(len(mu))/2) * math.Pow(1+r2/(2*s.Student.Tail*v), -s.Student.Tail)
		}
		t := max(e.dist2/s.Student.Unit, s.Student.Clip[0])
		h := 1e-4 * t
		sum += weight[m] * math.Log((close(t+h)-close(t-h))/(2*h))
	}
	return sum
}

// TestLogLik: the log-likelihood is that of the slow computation, for new vectors and for reference
// points, which are not their own neighbours.
func TestLogLik(t *testing.T) {
	for _, dims := range []int{1, 2, 3, 10} {
		s, reference := modeltest.Snapshot(t, 5, 150, 5, 0, dims)
		s = modeltest.Heavy(s)
		set := student.PlaceSettings{Neighbors: 6, RankDecay: 0.7}
		x := modeltest.Events(9, 40, 5)
		for i := range 10 {
			copy(x.Row(i), reference.Row(7*i))
		}
		at := mustPlace(t, s, set, x)
		p, err := student.NewPlacer(s, set)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.LogLik(t.Context(), x, at)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			want := slowLogLik(s, x.Row(i), at.Mu.Row(i), 6, set.RankDecay)
			if d := math.Abs(float64(got[i]) - want); d > 1e-4*math.Abs(want)+1e-4 {
				t.Errorf("d=%d, event %d: %g, want %g", dims, i, got[i], want)
			}
		}
	}
}
