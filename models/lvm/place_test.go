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

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn/auto"
)

// eventsNear returns reference vectors, vectors near them, and distant ones.
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
				// A snapshot written and read again gives the same bits.
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

// A reference point is placed at its own place, with its own scale.
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
			// Its novelty is the leave-one-out novelty: over all points these are the ranks.
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

// Finite events have finite places, up to the largest numbers.
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
