package fit

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/live"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/novelty"
	"unfold/models/placing"
	"unfold/models/prior"
	"unfold/models/reasons"
	"unfold/models/student"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/knntest"
)

// others lists the distances for which single rows cannot be made Euclidean.
var others = distance.All()[1:]

// rowsFor returns rows for which a distance is defined, in a few groups and with duplicates.
func rowsFor(d distance.Distance, n int, seed uint64) vec.Matrix[float32] {
	x := modeltest.Events(seed, n, 24)
	distance.Restrict(d, x)
	copy(x.Row(n/2), x.Row(3))
	return x
}

// under returns the spec of a small map with a distance.
func under(d distance.Distance) Spec {
	return Spec{Common: models.Common{Steps: 20, Seed: 3, Distance: d}}
}

// A map uses its distance everywhere, from the lists for learning to the events. Neighbours,
// novelty and reasons of events equal those of a double loop.
func TestMapsUnderDistances(t *testing.T) {
	for _, d := range others {
		t.Run(d.String(), func(t *testing.T) {
			x, events := rowsFor(d, 200, 7), rowsFor(d, 30, 8)
			s, r, err := Fit(t.Context(), x, under(d), nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Distance != d || s.Components.Rows > 0 || s.Index != nil || r.Spec.PCA != PCANone {
				t.Fatalf("distance %v, %d components, index %v", s.Distance, s.Components.Rows, s.Index)
			}
			known := knntest.BruteGraphBy(d, s.Reference, s.NoveltyK)
			want, own, err := novelty.New(known, s.NoveltyK, 1)
			if err != nil || !slices.Equal(want.KDist2, s.KDist2) || !slices.Equal(want.Global, s.GlobalScores) {
				t.Fatalf("other novelty tables than of the true neighbours (%v)", err)
			}
			for i, p := range r.Row {
				if r.Placed.NoveltyGlobal[i] != float32(own.Global[p]) {
					t.Fatalf("row %d has novelty %v, expected %v", i, r.Placed.NoveltyGlobal[i], own.Global[p])
				}
			}

			p, err := Open(s, placing.Options{})
			if err != nil {
				t.Fatal(err)
			}
			placed, err := p.Place(t.Context(), events)
			if err != nil {
				t.Fatal(err)
			}
			if near := knntest.BruteBy(d, s.Reference, events, placed.Near.K, nil); !knntest.Equal(near, placed.Near) {
				t.Error("events have other neighbours than the nearest")
			}
			all := make([]int, events.Rows)
			for i := range all {
				all[i] = i
			}
			err = reasons.New(s, 1).Each(t.Context(), events, placed.Near, all, func(at int, split *reasons.Split) {
				sum := 0.0
				for _, v := range split.Amount {
					sum += v
				}
				if math.Abs(sum-split.Global) > 1e-12*split.Global {
					t.Errorf("event %d: columns carry %v of %v", at, sum, split.Global)
				}
				if got, length := split.Distance(0), d.Length(split.Dist2[0]); got != length {
					t.Errorf("event %d: a neighbour at %v, expected %v", at, got, length)
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// With Chebyshev's distance, a reason is the column that differs most; with Jaccard's, a column
// that differs.
func TestReasonsUnderDistances(t *testing.T) {
	for _, d := range others {
		s, _, err := Fit(t.Context(), rowsFor(d, 120, 7), under(d), nil)
		if err != nil {
			t.Fatal(err)
		}
		event := s.Reference.Slice(0, 1).Clone()
		const odd = 5
		if event.Data[odd] = 1 - event.Data[odd]; !d.Bits() {
			event.Data[odd] = 1e4
		}
		near := knntest.BruteBy(d, s.Reference, event, s.NoveltyK+1, nil)
		err = reasons.New(s, 1).Each(t.Context(), event, near, []int{0}, func(_ int, split *reasons.Split) {
			if most := slices.Index(split.Amount, slices.Max(split.Amount)); !d.Bits() && most != odd {
				t.Errorf("%v: column %d carries most, expected %d", d, most, odd)
			}
			for e, v := range split.Amount {
				if differs := slices.ContainsFunc(split.Index, func(j int32) bool { return s.Reference.Row(int(j))[e] != event.Data[e] }); v > 0 && !differs {
					t.Errorf("%v: column %d carries %v, and is that of all neighbours", d, e, v)
				}
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Maps that follow changing rows have the same lists as a fit, and continue from a file.
func TestMapsUnderDistancesFollow(t *testing.T) {
	for _, d := range others {
		t.Run(d.String(), func(t *testing.T) {
			x, more := rowsFor(d, 150, 7), rowsFor(d, 20, 9)
			spec, set := under(d), live.Settings{}
			f, _, err := Follow(t.Context(), x, spec, set, nil)
			if err != nil {
				t.Fatal(err)
			}
			first, err := f.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			kept, err := ParseSpec(first)
			if err != nil || kept.Distance != d {
				t.Fatalf("the file says %v (%v)", kept.Distance, err)
			}
			again, err := Resume(t.Context(), first, f.State(), kept, set)
			if err != nil {
				t.Fatal(err)
			}
			var files [][]byte
			for _, m := range []*Followed{f, again} {
				if _, err := m.Change(t.Context(), []int32{1, 5, 40}, more, vec.Matrix[float64]{}); err != nil {
					t.Fatal(err)
				}
				if _, err := m.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
				s, err := m.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				if want := knntest.BruteGraphBy(d, s.Reference, s.NoveltyK); s.Distance != d || !slices.Equal(kDist2(want), s.KDist2) {
					t.Error("after changes the lists are not those of the rows")
				}
				files = append(files, written(t, s))
			}
			if !bytes.Equal(files[0], files[1]) {
				t.Error("a map goes on otherwise from its file")
			}
			other := under(distance.Euclidean)
			if _, err := Resume(t.Context(), first, f.State(), other, set); !models.IsBadInput(err) {
				t.Errorf("it goes on under another distance: %v", err)
			}
			if err := other.Matches(first); !models.IsBadInput(err) {
				t.Errorf("it matches settings of another distance: %v", err)
			}
		})
	}
}

// kDist2 are the last squared distances of lists.
func kDist2(nb *knn.Neighbors) []float64 {
	out := make([]float64, nb.N)
	for i := range out {
		_, dist2 := nb.Row(i)
		out[i] = dist2[nb.K-1]
	}
	return out
}

// Methods for Euclidean distances only are refused by name. So are rows for which a distance is
// undefined.
func TestDistancesAreRefused(t *testing.T) {
	x := modeltest.Events(7, 100, 24)
	with := func(set func(s *Spec)) Spec {
		s := under(distance.Manhattan)
		set(&s)
		return s
	}
	for name, c := range map[string]struct {
		setting string
		spec    Spec
	}{
		"another kind":         {"kind", with(func(s *Spec) { s.Kind = LLLVM })},
		"principal components": {"pca", with(func(s *Spec) { s.PCA = 5 })},
		"Gaussian tails":       {"tails", with(func(s *Spec) { s.LVM.Tails = lvm.Gaussian })},
		"an index":             {"search", with(func(s *Spec) { s.Search.Method = auto.HNSW })},
		"a recall of bits":     {"recall", with(func(s *Spec) { s.Distance, s.Search.Recall = distance.Jaccard, 0.9 })},
		"descent among bits":   {"search", with(func(s *Spec) { s.Distance, s.Search.Method = distance.Jaccard, auto.Descent })},
		"a frame of distances": {"frame", with(func(s *Spec) { s.LVM = lvm.Options{Student: student.Options{Prior: prior.Settings{Frame: prior.MDS}}} })},
	} {
		var wrong *models.SettingError
		if err := c.spec.Check(); !errors.As(err, &wrong) || wrong.Name != c.setting {
			t.Errorf("%s: checked with %v", name, err)
		}
		if _, _, err := Fit(t.Context(), x, c.spec, nil); !errors.As(err, &wrong) || wrong.Name != c.setting {
			t.Errorf("%s: learnt with %v", name, err)
		}
	}
	var bit *distance.DomainError
	if _, _, err := Fit(t.Context(), x, under(distance.Jaccard), nil); !models.IsBadInput(err) || !errors.As(err, &bit) {
		t.Errorf("numbers: %v", err)
	}
	s, _, err := Fit(t.Context(), rowsFor(distance.Jaccard, 100, 7), under(distance.Jaccard), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Place(t.Context(), x); !models.IsBadInput(err) || !errors.As(err, &bit) {
		t.Errorf("events: %v", err)
	}
	if _, err := Open(s, placing.Options{Search: auto.Settings{Method: auto.HNSW}}); err == nil {
		t.Error("an index is made")
	}
}
