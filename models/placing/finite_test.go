package placing

import (
	"errors"
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// finite returns n finite places.
func finite(n int) models.Placed {
	return models.Placed{Mu: vec.New[float32](n, 2), Sigma: make([]float32, n), NoveltyLocal: make([]float32, n), NoveltyGlobal: make([]float32, n)}
}

// The error for a number that is not finite names the row and the quantity.
func TestCheckPlaced(t *testing.T) {
	if err := CheckPlaced(finite(3)); err != nil {
		t.Errorf("finite results: %v", err)
	}
	for name, c := range map[string]struct {
		spoil func(at models.Placed, v float32)
		of    string
	}{
		"place":          {func(at models.Placed, v float32) { at.Mu.Row(2)[1] = v }, "place"},
		"scale":          {func(at models.Placed, v float32) { at.Sigma[2] = v }, "scale"},
		"local novelty":  {func(at models.Placed, v float32) { at.NoveltyLocal[2] = v }, "novelty"},
		"global novelty": {func(at models.Placed, v float32) { at.NoveltyGlobal[2] = v }, "novelty"},
	} {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			at := finite(3)
			c.spoil(at, float32(v))
			var row *models.RowError
			if err := CheckPlaced(at); !errors.As(err, &row) || row.Row != 2 || row.Result != c.of {
				t.Errorf("%s %g: %v", name, v, err)
			}
		}
	}
}

// A probe takes the first half of its elements from one reference point and the second half from
// another.
func TestProbes(t *testing.T) {
	for n := 1; n < 12; n++ {
		s := &snapshot.Snapshot{Dim: 4, Reference: vec.New[float32](n, 4)}
		for i := range s.Reference.Data {
			s.Reference.Data[i] = float32(i / 4)
		}
		x := Probes(s, 4)
		if x.Rows != min(4, n-1) || x.Cols != 4 {
			t.Fatalf("of %d points %d x %d", n, x.Rows, x.Cols)
		}
		for i := range x.Rows {
			a, b := x.Row(i)[0], x.Row(i)[2]
			if x.Row(i)[1] != a || x.Row(i)[3] != b || a == b || a < 0 || int(max(a, b)) >= n {
				t.Errorf("of %d points: %v", n, x.Row(i))
			}
		}
	}
	if x := Probes(&snapshot.Snapshot{Dim: 3, Graph: &snapshot.Graph{}}, 4); x.Rows != 0 || x.Cols != 3 {
		t.Errorf("of a graph: %d x %d", x.Rows, x.Cols)
	}
	// Vectors are reconstructed from the mean and the components.
	s := &snapshot.Snapshot{Dim: 3, Mean: []float32{5, 6, 7}, Components: vec.Of(2, 3, []float32{1, 0, 0, 0, 0, 1}), Reference: vec.Of(2, 2, []float32{1, 2, 3, 4})}
	if x := Probes(s, 4); x.Rows != 1 || x.Row(0)[0] != 6 || x.Row(0)[1] != 6 || x.Row(0)[2] != 11 {
		t.Errorf("through components: %v", x)
	}
}

// A model that gives places that are not finite is damaged. Other errors are returned as they are.
func TestProbe(t *testing.T) {
	s := &snapshot.Snapshot{Dim: 2, Reference: vec.Of(3, 2, []float32{1, 2, 3, 4, 5, 6})}
	asked := 0
	for _, c := range []struct {
		err error
		bad bool
	}{{nil, false}, {errors.New("cancelled"), false}, {&models.RowError{Row: 1}, false}, {&models.RowError{Row: 1, Result: "place", Value: math.Inf(1)}, true}} {
		err := Probe(s, func(x vec.Matrix[float32]) error { asked += x.Rows; return c.err })
		if models.IsBadInput(err) != c.bad || (err != nil) != c.bad {
			t.Errorf("%v: %v", c.err, err)
		}
	}
	if asked != 8 {
		t.Errorf("%d vectors are placed, want 2 each time", asked)
	}
	s.Reference = s.Reference.Slice(0, 1)
	if err := Probe(s, func(vec.Matrix[float32]) error { t.Error("one point has no probes"); return nil }); err != nil {
		t.Error(err)
	}
}
