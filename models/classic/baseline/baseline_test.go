package baseline_test

import (
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/baseline"
	"unfold/models/fit"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// learnt returns a map of the rows of x.
func learnt(t *testing.T, m baseline.Method, x vec.Matrix[float32], common models.Common) *snapshot.Snapshot {
	t.Helper()
	s, _, err := fit.Fit(t.Context(), x, fit.Spec{Kind: string(m), Common: common}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func opened(t *testing.T, s *snapshot.Snapshot) models.Decoder {
	t.Helper()
	p, err := fit.Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p.(models.Decoder)
}

// A map with as many components as the vectors have elements decodes without loss.
func TestComponentsLeadBack(t *testing.T) {
	x := modeltest.Events(3, 120, 4)
	p := opened(t, learnt(t, baseline.PCA, x, models.Common{Dims: 4}))
	placed, err := p.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	back, err := p.Decode(t.Context(), placed.Mu)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range back.X.Data {
		if math.Abs(float64(v-x.Data[i])) > 1e-4 {
			t.Fatalf("element %d is %g, want %g", i, v, x.Data[i])
		}
	}
}

// Principal components are of all rows, however many of them are equal: one row that is there 200
// times more draws the centre of the map to it.
func TestComponentsCountEqualRows(t *testing.T) {
	x := modeltest.Events(3, 320, 4)
	for i := 120; i < x.Rows; i++ {
		copy(x.Row(i), x.Row(0))
	}
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			mean[c] += float64(v) / float64(x.Rows)
		}
	}
	p := opened(t, learnt(t, baseline.PCA, x, models.Common{Dims: 2}))
	back, err := p.Decode(t.Context(), vec.New[float32](1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for c, v := range back.X.Row(0) {
		if math.Abs(float64(v)-mean[c]) > 1e-5 {
			t.Errorf("the origin is %g in element %d, want the mean %g", v, c, mean[c])
		}
	}
}

// For data of the map's dimension, decoding the position of a vector returns the vector.
func TestPlacesLeadBack(t *testing.T) {
	plane := modeltest.Events(3, 300, 2)
	x := vec.New[float32](plane.Rows, 4)
	for i := range x.Rows {
		a, b := plane.Row(i)[0], plane.Row(i)[1]
		copy(x.Row(i), []float32{a, b, a + b, a - b})
	}
	for _, m := range baseline.Methods() {
		t.Run(string(m), func(t *testing.T) {
			p := opened(t, learnt(t, m, x, models.Common{Neighbors: 8}))
			placed, err := p.Place(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			back, err := p.Decode(t.Context(), placed.Mu)
			if err != nil {
				t.Fatal(err)
			}
			var missed, square, all float64
			for i := range x.Rows {
				missed += vec.SquaredDistance(back.X.Row(i), x.Row(i)) / float64(x.Rows)
				square += float64(back.Sigma[i]) * float64(back.Sigma[i]) * 4 / float64(x.Rows)
			}
			u := placing.Centred(x)
			for i := range x.Rows {
				y := make([]float64, x.Cols)
				u.Apply(y, x.Row(i))
				all += vec.SquaredNorm(y) / float64(x.Rows)
			}
			most := 0.01 * all
			switch m {
			case baseline.KernelPCA:
				most = 0.05 * all // two of many components: far parts of the plane lie close
			case baseline.Eigenmaps:
				most = 0.02 * all // level at the ends of the plane, where points are crowded
			}
			if !(missed < most) || !(square < 0.2*all) {
				t.Errorf("missed %g, sigma^2 %g, of a variance of %g", missed, square, all)
			}
		})
	}
}

// After a map was moved as a whole, as a stream may do, its events are placed on the moved map.
func TestPlacingFollowsTheMap(t *testing.T) {
	x, more := modeltest.Events(3, 200, 5), modeltest.Events(4, 70, 5)
	for _, m := range baseline.Methods() {
		t.Run(string(m), func(t *testing.T) {
			s := learnt(t, m, x, models.Common{})
			before, err := opened(t, s).Place(t.Context(), more)
			if err != nil {
				t.Fatal(err)
			}
			moved := *s
			moved.Mu = vec.New[float64](s.Mu.Rows, 2)
			for i := range s.Mu.Rows {
				moved.Mu.Row(i)[0], moved.Mu.Row(i)[1] = 3-s.Mu.Row(i)[1], s.Mu.Row(i)[0]-1
			}
			after, err := opened(t, &moved).Place(t.Context(), more)
			if err != nil {
				t.Fatal(err)
			}
			for i := range more.Rows {
				a, b := before.Mu.Row(i), after.Mu.Row(i)
				if math.Abs(float64(3-a[1]-b[0])) > 1e-4 || math.Abs(float64(a[0]-1-b[1])) > 1e-4 {
					t.Fatalf("event %d was at %v and is at %v", i, a, b)
				}
			}
		})
	}
}

// Input that cannot be learnt is rejected with an error.
func TestRefusals(t *testing.T) {
	x := modeltest.Events(3, 30, 3)
	for _, c := range []struct {
		name string
		m    baseline.Method
		s    baseline.Settings
		bad  bool // input, not settings
	}{
		{"more dimensions than elements", baseline.PCA, baseline.Settings{Common: models.Common{Dims: 4}}, true},
		{"a sample no larger than the map", baseline.MDS, baseline.Settings{Points: 2}, false},
		{"no neighbours", baseline.Isomap, baseline.Settings{Common: models.Common{Neighbors: -1}}, false},
		{"tangent planes of too few neighbours", baseline.LTSA, baseline.Settings{Common: models.Common{Neighbors: 3, Dims: 3}}, false},
		{"tangent planes of too small a sample", baseline.LTSA, baseline.Settings{Points: 3}, false},
		{"no such method", "umap", baseline.Settings{}, false},
	} {
		if _, err := baseline.Fit(t.Context(), c.m, x, c.s); err == nil || models.IsBadInput(err) != c.bad {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
