package lvm_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/snapshot"
	"unfold/sparse/vec"
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
		set             lvm.PlaceSettings
	}{
		"Median":     {300, 8, 0, 2, lvm.PlaceSettings{}},
		"EM":         {300, 8, 0, 2, lvm.PlaceSettings{Rule: lvm.EM}},
		"Projection": {300, 24, 5, 3, lvm.PlaceSettings{}},
		"Threads":    {200, 6, 4, 10, lvm.PlaceSettings{Rule: lvm.EM, Threads: 3, Neighbors: 14}},
		"FewPoints":  {11, 4, 0, 2, lvm.PlaceSettings{Neighbors: 50}},
	} {
		t.Run(name, func(t *testing.T) {
			s, reference := modeltest.Snapshot(t, 7, c.n, c.dim, c.q, c.dims)
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

func mustPlace(t *testing.T, s *snapshot.Snapshot, set lvm.PlaceSettings, x vec.Matrix[float32]) models.Placed {
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
		for _, rule := range []lvm.PlaceRule{lvm.Median, lvm.EM} {
			s, x := modeltest.Snapshot(t, 3, 200, 9, q, 2)
			got := mustPlace(t, s, lvm.PlaceSettings{Rule: rule}, x)
			for i := range x.Rows {
				for c, m := range s.Mu.Row(i) {
					if got.Mu.Row(i)[c] != float32(m) {
						t.Fatalf("rule %v: point %d is placed at %v, want %v", rule, i, got.Mu.Row(i), s.Mu.Row(i))
					}
				}
				if want := float32(math.Sqrt(s.Sigma2[i])); got.Sigma[i] != want {
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

// near returns the rows of the k reference points nearest to x, and the squared
// distances, by brute force.
func near(s *snapshot.Snapshot, x []float32, k int) (index []int, dist2 []float64) {
	for i := range s.Reference.Rows {
		index = append(index, i)
	}
	d := func(i int) float64 { return vec.SquaredDistance(x, s.Reference.Row(i)) }
	slices.SortStableFunc(index, func(a, b int) int {
		switch {
		case d(a) < d(b):
			return -1
		case d(a) > d(b):
			return 1
		}
		return 0
	})
	for _, i := range index[:k] {
		dist2 = append(dist2, d(i))
	}
	return index[:k], dist2
}

func TestMedianIsTheNeighboursMedian(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 4, 150, 5, 0, 3)
	x := modeltest.Events(5, 40, 5)
	for _, k := range []int{1, 2, 5, 8, 9} {
		got := mustPlace(t, s, lvm.PlaceSettings{Neighbors: k}, x)
		for i := range x.Rows {
			index, _ := near(s, x.Row(i), k)
			for c := range 3 {
				var v []float64
				for _, j := range index {
					v = append(v, s.Mu.Row(j)[c])
				}
				slices.Sort(v)
				want := (v[(k-1)/2] + v[k/2]) / 2
				if math.Abs(float64(got.Mu.Row(i)[c])-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("k=%d: event %d, coordinate %d is %g, want %g", k, i, c, got.Mu.Row(i)[c], want)
				}
			}
		}
	}
}

// similarity is the part of eq 6 that belongs to a new point x with S_xj = 1 for
// its neighbours: sum_j log P(c_delta = 1 | x, j) with P of eq 5.
func similarity(s *snapshot.Snapshot, index []int, dist2, mu []float64, sigma2 float64) (l float64) {
	d := float64(len(mu))
	for m, j := range index {
		delta2 := dist2[m] / (2 * math.Ln2)
		v := delta2 + sigma2 + s.Sigma2[j]
		l += d/2*math.Log(delta2/v) - vec.SquaredDistance(mu, s.Mu.Row(j))/(2*v)
	}
	return l
}

// The EM rule ends where the likelihood of the new point is higher than with the
// median and cannot be raised by moving the mean (eq 20).
func TestEMRaisesTheLikelihoodOfThePoint(t *testing.T) {
	const k = 9
	s, _ := modeltest.Snapshot(t, 6, 150, 5, 0, 2)
	x := modeltest.Events(8, 60, 5)
	median := mustPlace(t, s, lvm.PlaceSettings{Neighbors: k}, x)
	em := mustPlace(t, s, lvm.PlaceSettings{Neighbors: k, Rule: lvm.EM}, x)
	for i := range x.Rows {
		index, dist2 := near(s, x.Row(i), k)
		at := func(p models.Placed, dx, dy float64) float64 {
			sigma := float64(p.Sigma[i])
			mu := []float64{float64(p.Mu.Row(i)[0]) + dx, float64(p.Mu.Row(i)[1]) + dy}
			return similarity(s, index, dist2, mu, sigma*sigma)
		}
		best := at(em, 0, 0)
		if best < at(median, 0, 0)-1e-6 {
			t.Errorf("event %d: EM has the log-likelihood %g, the median %g", i, best, at(median, 0, 0))
		}
		const h = 0.05
		for _, to := range [][2]float64{{h, 0}, {-h, 0}, {0, h}, {0, -h}} {
			if v := at(em, to[0], to[1]); v > best+1e-6 {
				t.Errorf("event %d: the log-likelihood rises from %g to %g away from the EM mean", i, best, v)
			}
		}
	}
}

func TestWhatCannotBeProjectedIsNamed(t *testing.T) {
	s, x := modeltest.Snapshot(t, 3, 100, 12, 5, 2)
	p, err := lvm.NewPlacer(s, lvm.PlaceSettings{})
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

func TestPlaceRules(t *testing.T) {
	for _, rule := range []lvm.PlaceRule{lvm.Median, lvm.EM} {
		if got, err := lvm.ParsePlaceRule(rule.String()); err != nil || got != rule {
			t.Errorf("%v is read as %v (%v)", rule, got, err)
		}
	}
	if got, err := lvm.ParsePlaceRule(""); err != nil || got != lvm.Median {
		t.Errorf("no name is read as %v (%v)", got, err)
	}
	if _, err := lvm.ParsePlaceRule("mean"); err == nil || !strings.Contains(err.Error(), "median or em") {
		t.Errorf("an unknown name gives %v", err)
	}
}

func TestNewPlacerRefuses(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 3, 60, 4, 0, 2)
	for name, set := range map[string]lvm.PlaceSettings{"rule": {Rule: 9}, "neighbors": {Neighbors: -1}} {
		if _, err := lvm.NewPlacer(s, set); err == nil {
			t.Errorf("a wrong %s is taken", name)
		}
	}
	bad := *s
	bad.NoveltyK = 1000
	if _, err := lvm.NewPlacer(&bad, lvm.PlaceSettings{}); !models.IsBadInput(err) {
		t.Errorf("a snapshot that does not fit: got %v", err)
	}
}

func BenchmarkPlaceOne(b *testing.B) {
	s, _ := modeltest.Snapshot(b, 3, 5000, 60, 50, 2)
	p, err := lvm.NewPlacer(s, lvm.PlaceSettings{})
	if err != nil {
		b.Fatal(err)
	}
	x := vec.Of(1, 60, make([]float32, 60))
	r := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		for j := range x.Data {
			x.Data[j] = float32(r.NormFloat64())
		}
		if _, err := p.Place(context.Background(), x); err != nil {
			b.Fatal(err)
		}
	}
}
