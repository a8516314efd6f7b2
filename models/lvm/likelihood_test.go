package lvm_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// slowLogLik is the log-likelihood of the lengths of an event's k edges, by brute force and by the
// formulas as they are written down: weights by rank, and the numeric derivative of the probability
// of being close.
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

// mustLogLik places rows and returns their log-likelihoods.
func mustLogLik(t *testing.T, s *snapshot.Snapshot, o placing.Options, x vec.Matrix[float32]) (models.Placed, []float32) {
	t.Helper()
	p, err := lvm.NewPlacer(s, o)
	if err != nil {
		t.Fatal(err)
	}
	at, err := p.Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.(models.Likely).LogLik(context.Background(), x, at)
	if err != nil {
		t.Fatal(err)
	}
	return at, out
}

// The log-likelihood is that of the slow computation, for new vectors and for reference points,
// which are not their own neighbours.
func TestLogLik(t *testing.T) {
	for _, dims := range []int{1, 2, 3, 10} {
		for _, heavy := range []bool{true, false} {
			s, reference := modeltest.Snapshot(t, 5, 150, 5, 0, dims)
			o := placing.Options{Neighbors: 6}
			if heavy {
				s, o.RankDecay = modeltest.Heavy(s), 0.7
			}
			x := modeltest.Events(9, 60, 5)
			for i := range 10 {
				copy(x.Row(i), reference.Row(7*i))
			}
			at, got := mustLogLik(t, s, o, x)
			for i := range x.Rows {
				want := slowLogLik(s, x.Row(i), at.Mu.Row(i), 6, o.RankDecay)
				if d := math.Abs(float64(got[i]) - want); d > 1e-4*math.Abs(want)+1e-4 {
					t.Errorf("d=%d, heavy %v, event %d: %g, want %g", dims, heavy, i, got[i], want)
				}
			}
		}
	}
}

// The farther an event from everything the less likely it is, up to the end of the number range,
// where the value is still finite.
func TestLogLikOfFarEvents(t *testing.T) {
	for _, heavy := range []bool{true, false} {
		s, _ := modeltest.Snapshot(t, 5, 150, 5, 0, 2)
		if heavy {
			s = modeltest.Heavy(s)
		}
		var values []float32
		for scale := 30.0; scale < 1e37; scale *= 10 {
			for c := range 5 {
				values = append(values, float32(scale*[]float64{1, -2, 0.5, 1, 3}[c]))
			}
		}
		_, usual := mustLogLik(t, s, placing.Options{}, s.Reference)
		_, far := mustLogLik(t, s, placing.Options{}, vec.Of(len(values)/5, 5, values))
		last := slices.Min(usual)
		for i, v := range far {
			if !(v < last) {
				t.Errorf("heavy %v: far event %d has %g, nearer ones %g", heavy, i, v, last)
			}
			last = v
		}
	}
}
