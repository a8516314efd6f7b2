package lvm_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/sparse/knn/auto"
)

// eventsNear returns reference vectors, vectors like them, and far ones.
func eventsNear(reference vec.Matrix[float32]) vec.Matrix[float32] {
	x := modeltest.Events(99, 150, reference.Cols)
	for i := range 20 {
		copy(x.Row(3*i), reference.Row(5*i))
	}
	for j := range x.Row(149) {
		x.Row(148)[j] *= 100
		x.Row(149)[j] = 1e6
	}
	return x
}

func TestPlacerConforms(t *testing.T) {
	for name, c := range map[string]struct {
		n, dim, q, dims int
		heavy           bool
		set             placing.Options
	}{
		"Median":          {300, 8, 0, 2, false, placing.Options{}},
		"EM":              {300, 8, 0, 2, false, placing.Options{Rule: placing.EM}},
		"Projection":      {300, 24, 5, 3, false, placing.Options{}},
		"Threads":         {200, 6, 4, 10, false, placing.Options{Rule: placing.EM, Threads: 3, Neighbors: 14}},
		"FewPoints":       {11, 4, 0, 2, false, placing.Options{Neighbors: 50}},
		"Robust":          {300, 8, 0, 2, true, placing.Options{}},
		"LLE":             {300, 24, 5, 10, true, placing.Options{}},
		"HeavyMedian":     {300, 8, 0, 3, true, placing.Options{Rule: placing.Median}},
		"HeavyThreads":    {200, 6, 4, 2, true, placing.Options{Rule: placing.LLE, Threads: 3, Neighbors: 14, Received: 1}},
		"HeavyFewPoints":  {11, 4, 0, 2, true, placing.Options{Neighbors: 50}},
		"Index":           {300, 8, 0, 2, true, placing.Options{Search: auto.Settings{Method: auto.HNSW}}},
		"IndexLowRecall":  {300, 24, 5, 10, true, placing.Options{Search: auto.Settings{Method: auto.HNSW, Recall: 0.5}}},
		"IndexMedian":     {300, 8, 5, 2, false, placing.Options{Search: auto.Settings{Method: auto.HNSW}}},
		"HeavyOneNearest": {90, 4, 0, 1, true, placing.Options{Rule: placing.LLE, Neighbors: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s, reference := modeltest.Snapshot(t, 7, c.n, c.dim, c.q, c.dims)
			if c.heavy {
				s = modeltest.Heavy(s)
			}
			events := modeltest.Events(99, 150, c.dim)
			if c.n >= 100 {
				events = eventsNear(reference)
			}
			var file bytes.Buffer
			if err := snapshot.Write(&file, s); err != nil {
				t.Fatal(err)
			}
			modeltest.Placers(t, func(t *testing.T) models.Placer {
				// What was written and read again places the same bits.
				again, err := snapshot.Read(bytes.NewReader(file.Bytes()))
				if err != nil {
					t.Fatal(err)
				}
				p, err := lvm.NewPlacer(again, c.set)
				if err != nil {
					t.Fatal(err)
				}
				return p
			}, events)
		})
	}
}

func mustPlace(t *testing.T, s *snapshot.Snapshot, set placing.Options, x vec.Matrix[float32]) models.Placed {
	t.Helper()
	p, err := lvm.NewPlacer(s, set)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A reference point is placed where it is, with its own scale.
func TestAReferencePointKeepsItsPlace(t *testing.T) {
	for _, q := range []int{0, 5} {
		for _, rule := range []placing.Rule{placing.Median, placing.EM, placing.Robust, placing.LLE} {
			s, x := modeltest.Snapshot(t, 3, 200, 9, q, 2)
			if rule == placing.Robust || rule == placing.LLE {
				s = modeltest.Heavy(s)
			}
			got := mustPlace(t, s, placing.Options{Rule: rule}, x)
			for i := range x.Rows {
				for c, m := range s.Mu.Row(i) {
					if got.Mu.Row(i)[c] != float32(m) {
						t.Fatalf("rule %v: point %d is placed at %v, want %v", rule, i, got.Mu.Row(i), s.Mu.Row(i))
					}
				}
				if want := float32(math.Sqrt(s.Published2()[i])); got.Sigma[i] != want {
					t.Fatalf("rule %v: point %d has the scale %g, want %g", rule, i, got.Sigma[i], want)
				}
			}
			// Its novelty is the leave-one-out one: together they are the ranks.
			global := slices.Clone(got.NoveltyGlobal)
			slices.Sort(global)
			for i, v := range global {
				if want := (float64(i) + 0.5) / float64(x.Rows); math.Abs(float64(v)-want) > 1e-6 {
					t.Fatalf("the %d-th smallest novelty of the reference points is %g, want %g", i, v, want)
				}
			}
		}
	}
}

// edge joins an event to reference point j with weight S_xj + S_jx.
type edge struct {
	j             int
	weight, dist2 float64
}

// edges finds an event's edges by brute force: one sent to each of the k nearest
// points, one received from those of the 25 nearest whose radius it is within.
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

// similarity is the part of eq 6 that belongs to a new point's edges:
// sum_j (S_xj + S_jx) log P(c_delta = 1 | x, j) with P of eq 5.
func similarity(s *snapshot.Snapshot, edges []edge, mu []float64, sigma2 float64) (l float64) {
	d := float64(len(mu))
	for _, e := range edges {
		delta2 := e.dist2 / (2 * math.Ln2)
		v := delta2 + sigma2 + s.Sigma2[e.j]
		l += e.weight * (d/2*math.Log(delta2/v) - vec.SquaredDistance(mu, s.Mu.Row(e.j))/(2*v))
	}
	return l
}

// Every step raises the likelihood of the new point: of its scale (eq 21) under
// the median rule, of mean and scale (eq 20, 21) under EM. And under EM no step
// aside raises it.
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

// Without a step the scale is the start of learning: the longest edge over
// sqrt(2d).
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

// A point that is taken out of the map and placed gets the scale that learning
// gave it, nearly, with and without coarse-graining.
func TestScaleIsWhatLearningGives(t *testing.T) {
	const n = 450
	x := modeltest.Events(11, n, 6)
	for _, level := range []saul.Level{saul.NoCoarseGraining, saul.LevelOf(1)} {
		fit, err := lvm.Fit(context.Background(), x, lvm.Settings{Common: models.Common{Seed: 1, Steps: 100}, Options: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Level: level}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := modeltest.Snapshot(t, 1, n, 6, 0, 2)
		s.Reference, s.Mu, s.Sigma2, s.Bandwidth2 = x, fit.Mu, fit.Sigma2, fit.Bandwidth2
		s.Steps, s.Dissimilar = fit.Report.Iterations, saul.DissimilarShare(fit.Report.Level)
		var off []float64
		for i := 0; i < n; i += 5 {
			p := mustPlace(t, without(s, i), placing.Options{}, x.Slice(i, i+1))
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

// without returns s less reference point i.
func without(s *snapshot.Snapshot, i int) *snapshot.Snapshot {
	keep := make([]int, 0, s.Reference.Rows)
	for j := range s.Reference.Rows {
		if j != i {
			keep = append(keep, j)
		}
	}
	out := *s
	out.Reference, out.Mu, out.Count = vec.Take(s.Reference, keep), vec.Take(s.Mu, keep), s.Count[1:]
	lists := []*[]float64{&out.Sigma2, &out.Bandwidth2, &out.KDist2, &out.Density, &out.LocalScores, &out.GlobalScores}
	if s.Student != nil {
		st := *s.Student
		out.Student = &st
		lists = append(lists, &st.Error2)
	}
	for _, v := range lists {
		*v = slices.Delete(slices.Clone(*v), i, i+1)
	}
	return &out
}

func TestWhatCannotBeProjectedIsNamed(t *testing.T) {
	s, x := modeltest.Snapshot(t, 3, 100, 12, 5, 2)
	p, err := lvm.NewPlacer(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x = x.Clone()
	for j := range x.Row(7) {
		x.Row(7)[j] = -3e38
		if s.Components.Row(0)[j] > 0 {
			x.Row(7)[j] = 3e38
		}
	}
	x.Row(7)[4] *= 1.1
	var row *models.RowError
	if _, err := p.Place(context.Background(), x); !errors.As(err, &row) || row.Row != 7 || row.Column != 4 || !strings.Contains(err.Error(), "too large") {
		t.Errorf("got %v, want a RowError for row 7, column 4", err)
	}
}

func BenchmarkPlaceOne(b *testing.B) {
	gaussian, _ := modeltest.Snapshot(b, 3, 5000, 60, 50, 2)
	gaussian.Steps = 400
	for _, rule := range []placing.Rule{placing.Median, placing.EM, placing.Robust, placing.LLE} {
		s := gaussian
		if rule == placing.Robust || rule == placing.LLE {
			s = modeltest.Heavy(gaussian)
		}
		p, err := lvm.NewPlacer(s, placing.Options{Rule: rule})
		if err != nil {
			b.Fatal(err)
		}
		x := vec.Of(1, 60, make([]float32, 60))
		r := rand.New(rand.NewPCG(1, 1))
		b.Run(rule.String(), func(b *testing.B) {
			for b.Loop() {
				for j := range x.Data {
					x.Data[j] = float32(r.NormFloat64())
				}
				if _, err := p.Place(context.Background(), x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Finite events have finite places, to the end of the number range.
func TestTheFarthestEventsArePlaced(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 3, 100, 6, 0, 2)
	x := vec.New[float32](2, 6)
	for j := range x.Row(0) {
		x.Row(0)[j], x.Row(1)[j] = math.MaxFloat32, -math.MaxFloat32
	}
	for _, rule := range []placing.Rule{placing.Median, placing.EM, placing.Robust, placing.LLE} {
		if rule == placing.Robust {
			s = modeltest.Heavy(s)
			s.Student.Clip[1] = 1e100
		}
		got := mustPlace(t, s, placing.Options{Rule: rule}, x)
		if err := models.CheckRows(got.Mu, nil); err != nil {
			t.Error(err)
		}
		for i := range x.Rows {
			if v := float64(got.Sigma[i]); !(v > 0) || math.IsInf(v, 0) || got.NoveltyGlobal[i] != 1 {
				t.Errorf("rule %v: event %d has the scale %g and the novelty %g", rule, i, v, got.NoveltyGlobal[i])
			}
		}
	}
}
