package saul_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/saul"
	"unfold/models/snapshot"
)

func mustPlace(t *testing.T, s *snapshot.Snapshot, set placing.Options, x vec.Matrix[float32]) models.Placed {
	t.Helper()
	p, err := saul.NewPlacer(s, set)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// edge is an edge between an event and reference point j with the weight S_xj + S_jx.
type edge struct {
	j             int
	weight, dist2 float64
}

// edges finds an event's edges by brute force. It sends one to each of the k nearest points and
// receives one from those of the 25 nearest whose radius includes it.
func edges(s *snapshot.Snapshot, x []float32, k int) (out []edge) {
	var index []int
	for i := range s.Reference.Rows {
		index = append(index, i)
	}
	d := func(i int) float64 { return vec.SquaredDistance(x, s.Reference.Row(i)) }
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(d(a), d(b)) })
	for m, j := range index[:25] {
		e := edge{j: j, dist2: d(j)}
		if m < k {
			e.weight++
		}
		if d(j) <= s.Bandwidth2[j]*2*math.Ln2 {
			e.weight++
		}
		if e.weight > 0 {
			out = append(out, e)
		}
	}
	return out
}

func TestMedianIsOverTheEdges(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 4, 150, 5, 0, 3)
	for j := range s.Bandwidth2 {
		s.Bandwidth2[j] *= 3 // many edges received, but not by all
	}
	x := modeltest.Events(5, 40, 5)
	both := 0
	for _, k := range []int{1, 2, 5, 8, 9} {
		got := mustPlace(t, s, placing.Options{Neighbors: k}, x)
		for i := range x.Rows {
			for c := range 3 {
				var v []float64
				for _, e := range edges(s, x.Row(i), k) {
					for range int(e.weight) {
						v = append(v, s.Mu.Row(e.j)[c])
					}
					if e.weight == 2 {
						both++
					}
				}
				slices.Sort(v)
				want := (v[(len(v)-1)/2] + v[len(v)/2]) / 2
				if math.Abs(float64(got.Mu.Row(i)[c])-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("k=%d: event %d, coordinate %d is %g, want %g", k, i, c, got.Mu.Row(i)[c], want)
				}
			}
		}
	}
	if both == 0 {
		t.Error("no event has an edge in both directions; the test is void")
	}
}

// similarity returns the part of eq 6 that the new point's edges contribute: sum_j (S_xj + S_jx)
// log P(c_delta = 1 | x, j) with P of eq 5.
func similarity(s *snapshot.Snapshot, edges []edge, mu []float64, sigma2 float64) (l float64) {
	d := float64(len(mu))
	for _, e := range edges {
		delta2 := e.dist2 / (2 * math.Ln2)
		v := delta2 + sigma2 + s.Sigma2[e.j]
		l += e.weight * (d/2*math.Log(delta2/v) - vec.SquaredDistance(mu, s.Mu.Row(e.j))/(2*v))
	}
	return l
}

// Every update raises the likelihood of the new point: of its variance (eq 21) under the median
// rule, of mean and variance (eq 20, 21) under EM. Under EM the result is a local maximum: no small
// displacement raises it.
func TestStepsRaiseTheLikelihoodOfThePoint(t *testing.T) {
	const k = 9
	s, _ := modeltest.Snapshot(t, 6, 150, 5, 0, 2)
	x := modeltest.Events(8, 60, 5)
	for _, rule := range []placing.Rule{placing.Median, placing.EM} {
		last := slices.Repeat([]float64{math.Inf(-1)}, x.Rows)
		for _, s.Steps = range []int{1, 2, 3, 10, 30, 100, 400} {
			p := mustPlace(t, s, placing.Options{Neighbors: k, Rule: rule}, x)
			for i := range x.Rows {
				joined := edges(s, x.Row(i), k)
				at := func(dx, dy float64) float64 {
					sigma := float64(p.Sigma[i])
					mu := []float64{float64(p.Mu.Row(i)[0]) + dx, float64(p.Mu.Row(i)[1]) + dy}
					return similarity(s, joined, mu, sigma*sigma)
				}
				l := at(0, 0)
				if l < last[i]-1e-5 {
					t.Errorf("rule %v: event %d: after %d steps the log-likelihood falls from %g to %g", rule, i, s.Steps, last[i], l)
				}
				last[i] = l
				const h = 0.05
				for _, to := range [][2]float64{{h, 0}, {-h, 0}, {0, h}, {0, -h}} {
					if v := at(to[0], to[1]); rule == placing.EM && s.Steps >= 100 && v > l+1e-5 {
						t.Errorf("event %d: the log-likelihood rises from %g to %g away from the EM mean", i, l, v)
					}
				}
			}
		}
	}
}

// With zero steps, the event's standard deviation is that of the start of learning: the longest
// edge over sqrt(2d).
func TestScaleStartsAsInLearning(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 6, 150, 5, 0, 3)
	s.Steps = 0
	x := modeltest.Events(8, 30, 5)
	p := mustPlace(t, s, placing.Options{}, x)
	for i := range x.Rows {
		var longest float64
		for _, e := range edges(s, x.Row(i), saul.DefaultPlaceNeighbors) {
			longest = max(longest, e.dist2)
		}
		if want := math.Sqrt(longest / 6); math.Abs(float64(p.Sigma[i])-want) > 1e-6*want {
			t.Errorf("event %d: the scale is %g, want %g", i, p.Sigma[i], want)
		}
	}
}

// One variance for all points gives a lower likelihood than one for each (Fig S4). Events on such a
// map get the shared variance.
func TestSharedVariance(t *testing.T) {
	x, events := modeltest.Events(11, 300, 6), modeltest.Events(12, 20, 6)
	set := saul.Settings{Common: models.Common{Seed: 1, Steps: 300}, Options: saul.Options{Gain: -1}}
	free, err := saul.Fit(t.Context(), x, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	set.Shared = true
	fit, err := saul.Fit(t.Context(), x, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	one := fit.Sigma2[0]
	if slices.ContainsFunc(fit.Sigma2, func(v float64) bool { return v != one }) {
		t.Fatalf("variances differ: %v", fit.Sigma2[:9])
	}
	if fit.Report.Loglik >= free.Report.Loglik {
		t.Errorf("log-likelihood %v with one variance, %v with one for each point", fit.Report.Loglik, free.Report.Loglik)
	}
	s, _ := modeltest.Snapshot(t, 1, x.Rows, 6, 0, 2)
	s.Reference, s.Mu, s.Sigma2, s.Bandwidth2, s.Steps = x, fit.Mu, fit.Sigma2, fit.Bandwidth2, fit.Report.Iterations
	for _, rule := range []placing.Rule{placing.Median, placing.EM} {
		placed := mustPlace(t, s, placing.Options{Rule: rule}, events)
		if want := float32(math.Sqrt(one)); slices.ContainsFunc(placed.Sigma, func(v float32) bool { return v != want }) {
			t.Errorf("%v: scales of events %v, want %v", rule, placed.Sigma, want)
		}
	}
}

// A point that is removed from the map and placed as an event gets nearly its learnt variance, with
// and without coarse-graining.
func TestScaleIsWhatLearningGives(t *testing.T) {
	const n = 450
	x := modeltest.Events(11, n, 6)
	for _, level := range []saul.Level{saul.NoCoarseGraining, saul.LevelOf(1)} {
		fit, err := saul.Fit(context.Background(), x, saul.Settings{Common: models.Common{Seed: 1, Steps: 100}, Options: saul.Options{Level: level}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := modeltest.Snapshot(t, 1, n, 6, 0, 2)
		s.Reference, s.Mu, s.Sigma2, s.Bandwidth2 = x, fit.Mu, fit.Sigma2, fit.Bandwidth2
		s.Steps, s.Dissimilar = fit.Report.Iterations, saul.DissimilarShare(fit.Report.Level)
		var off []float64
		for i := 0; i < n; i += 5 {
			p := mustPlace(t, modeltest.Without(s, i), placing.Options{}, x.Slice(i, i+1))
			off = append(off, math.Abs(2*math.Log(float64(p.Sigma[0]))-math.Log(fit.Sigma2[i])))
		}
		slices.Sort(off)
		median := off[len(off)/2]
		t.Logf("level %d: median |log ratio| of placed and learnt sigma^2: %.3f", fit.Report.Level, median)
		if median > 0.25 {
			t.Errorf("level %d: the median of |log(placed sigma^2 / learnt sigma^2)| is %.2f", fit.Report.Level, median)
		}
	}
}
