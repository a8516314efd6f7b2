package modeltest

import (
	"cmp"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models/snapshot"
)

// LogLik is the log-likelihood of the lengths of an event's k edges (H25), by brute force and by the
// formulas as they are written down: all distances, weights by rank, and the numeric derivative of
// the probability of being close. The event is x at the place mu.
func LogLik(s *snapshot.Snapshot, x, mu []float32, k int, decay float64) (sum float64) {
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
	d := float64(len(mu))
	for m, e := range all[:k] {
		var r2 float64
		for c, v := range s.Mu.Row(e.j) {
			r2 += (float64(mu[c]) - v) * (float64(mu[c]) - v)
		}
		variance := sigma2 + s.Sigma2[e.j]
		close := func(t float64) float64 {
			v := t + variance
			if s.Student == nil {
				return math.Pow(t/v, d/2) * math.Exp(-r2/(2*v))
			}
			return math.Pow(t/v, d/2) * math.Pow(1+r2/(2*s.Student.Tail*v), -s.Student.Tail)
		}
		t := e.dist2 / (2 * math.Ln2)
		if s.Student != nil {
			t = max(e.dist2/s.Student.Unit, s.Student.Clip[0])
		}
		h := 1e-4 * t
		sum += weight[m] * math.Log((close(t+h)-close(t-h))/(2*h))
	}
	return sum
}
