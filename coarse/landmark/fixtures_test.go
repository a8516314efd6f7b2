package landmark_test

import (
	"context"
	"slices"
	"testing"

	"unfold/coarse/landmark"
	"unfold/internal/testkit/fixtures"
	"unfold/sparse/graph"
)

// given returns a choice function with the landmarks of a fixture.
func given(s *fixtures.Saul) func(landmark.Group) []int32 {
	return func(g landmark.Group) []int32 { return s.Chosen(g.Level, g.Landmark, g.Landmarks) }
}

func TestFixtures(t *testing.T) {
	fixtures.EachSaul(t, func(t *testing.T, s *fixtures.Saul) {
		x := s.Kept()
		g := &graph.Graph{N: s.N}
		g.Start, g.To, g.Dist2 = s.Graph()
		p, err := landmark.New(context.Background(), x, g, landmark.Settings{Level: s.Level, Choose: given(s)})
		if err != nil {
			t.Fatal(err)
		}
		delta2 := make([]float64, len(g.Dist2))
		for k, d := range g.Dist2 {
			delta2[k] = landmark.Scale2(d, 0)
		}
		fixtures.Close(t, "delta^2 of E", delta2, s.Delta2E, 1e-9)
		fixtures.Close(t, "Delta^2 of level 0", p.Bandwidth2, s.Delta2, 1e-9)
		fixtures.CloseTo(t, "sum of S", p.SumS, s.SumS, 1e-9)
		fixtures.CloseTo(t, "sum of D", p.SumD, s.SumD, 1e-9)
		if s.Level > 0 && !slices.Equal(p.Of, s.Of) {
			t.Errorf("nearest landmarks are %v, want %v", p.Of, s.Of)
		}
		similar(t, p, s)
		dissimilar(t, p, s)
	})
}

// similar compares S_ij + S_ji and delta_ij^2 entry by entry.
func similar(t *testing.T, p *landmark.Pairs, s *fixtures.Saul) {
	type entry struct{ w, delta2 float64 }
	want := map[[2]int32]entry{}
	for k, i := range s.S.I {
		for _, ij := range [][2]int32{{i, s.S.J[k]}, {s.S.J[k], i}} {
			want[ij] = entry{want[ij].w + s.S.W[k], s.S.Delta2[k]}
		}
	}
	var gotW, gotD, wantW, wantD []float64
	for i := range p.N {
		to, w := p.Similar.Row(i)
		for k, j := range to {
			e, ok := want[[2]int32{int32(i), j}]
			if !ok {
				t.Fatalf("S_%d,%d should be 0", i, j)
			}
			gotW, wantW = append(gotW, w[k]), append(wantW, e.w)
			gotD, wantD = append(gotD, p.SimilarDelta2[p.Similar.Start[i]+k]), append(wantD, e.delta2)
		}
	}
	if len(gotW) != len(want) {
		t.Fatalf("%d similar pairs, want %d", len(gotW), len(want))
	}
	fixtures.Close(t, "S", gotW, wantW, 1e-9)
	fixtures.Close(t, "delta^2 of S", gotD, wantD, 1e-9)
}

// dissimilar compares D_ij and Delta_ij^2 entry by entry, and the sums that the blocks compute
// without listing pairs.
func dissimilar(t *testing.T, p *landmark.Pairs, s *fixtures.Saul) {
	type entry struct{ w, delta2 float64 }
	want := map[[2]int32]entry{}
	unordered := map[[2]int32]bool{}
	weight := make([]float64, s.N)
	for k, i := range s.D.I {
		j := s.D.J[k]
		want[[2]int32{i, j}] = entry{s.D.W[k], s.D.Delta2[k]}
		unordered[[2]int32{min(i, j), max(i, j)}] = true
		weight[i] += s.D.W[k]
		weight[j] += s.D.W[k]
	}
	var gotW, gotD, wantW, wantD []float64
	seen := map[[2]int32]bool{}
	p.Each(func(i, j int32, d, Delta float64) {
		ij := [2]int32{i, j}
		e, ok := want[ij]
		if !ok || seen[ij] {
			t.Fatalf("D_%d,%d should be 0, or was listed twice", i, j)
		}
		seen[ij] = true
		gotW, wantW = append(gotW, d), append(wantW, e.w)
		gotD, wantD = append(gotD, Delta*Delta), append(wantD, e.delta2)
	})
	if len(gotW) != len(want) || p.Count != int64(len(unordered)) {
		t.Fatalf("%d ordered and %d unordered dissimilar pairs, want %d and %d", len(gotW), p.Count, len(want), len(unordered))
	}
	fixtures.Close(t, "D", gotW, wantW, 1e-9)
	fixtures.Close(t, "Delta^2 of D", gotD, wantD, 1e-9)
	fixtures.Close(t, "sum_j D_ij + D_ji", p.Weight, weight, 1e-9)
}

// The number of landmarks agrees with the choices in the fixtures.
func TestFixturesLandmarkNumbers(t *testing.T) {
	fixtures.EachSaul(t, func(t *testing.T, s *fixtures.Saul) {
		if s.Level == 0 {
			return
		}
		if got := landmark.Landmarks(s.N); got != len(s.Landmarks) {
			t.Errorf("%d landmarks of %d points, want %d", got, s.N, len(s.Landmarks))
		}
		size := map[int32]int{}
		for _, a := range s.Of {
			size[a]++
		}
		for a, sub := range s.Sub {
			if got := landmark.Landmarks(size[a]); got != len(sub) {
				t.Errorf("%d landmarks of a group of %d, want %d", got, size[a], len(sub))
			}
		}
		if got := landmark.Landmarks(len(s.Landmarks)); s.Level > 1 && got != len(s.Super) {
			t.Errorf("%d super-landmarks of %d, want %d", got, len(s.Landmarks), len(s.Super))
		}
	})
}
