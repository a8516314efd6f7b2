package unfold

import (
	"bytes"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// far returns two heaps of 60 rows each, one unit apart, as 1/scale units around an origin.
func far(scale float64, origin ...float64) *mat.Dense {
	x := mat.NewDense(120, 2, nil)
	for i := range 120 {
		turn := 2 * math.Pi * float64(i/2) / 60
		x.Set(i, 0, origin[0]+scale*(float64(i%2)+0.1*math.Cos(turn)))
		x.Set(i, 1, origin[1]+scale*0.1*math.Sin(turn+0.3))
	}
	return x
}

// Rows that differ only in double precision are separate points, wherever their origin is and in
// every form of a matrix. They are placed, inserted, decoded and explained in their own units, also
// from a file.
func TestFarFromZero(t *testing.T) {
	for _, c := range []struct {
		name string
		x    *mat.Dense
		unit float64
	}{
		{"metres of a map grid", far(1, 500_000, 4_649_776), 1},
		{"radians of a city", far(1e-6, 0.2338, 0.9169), 1e-6},
		{"a billion", far(1, 1e9, -1e9), 1},
		{"billionths around 1", far(1e-9, 1, 1), 1e-9},
		{"near zero", far(1, 0, 0), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, x := range map[string]mat.Matrix{"dense": c.x, "another matrix": only{c.x}} {
				fitted, err := Fit(t.Context(), x, Options{Steps: 5})
				if err != nil {
					t.Fatal(err)
				}
				var file bytes.Buffer
				if err := fitted.Save(&file); err != nil {
					t.Fatal(err)
				}
				opened, err := Open(&file)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range []*Map{fitted, opened} {
					checkFar(t, name, m, x, fitted.Result().Embedding, c.unit)
				}
			}
		})
	}
}

// checkFar checks that a map of the rows of far places them where they were learnt.
func checkFar(t *testing.T, name string, m *Map, x mat.Matrix, places *mat.Dense, unit float64) {
	t.Helper()
	if m.Len() != 120 {
		t.Fatalf("%s: %d points of 120 distinct rows", name, m.Len())
	}
	placed, err := m.Place(t.Context(), x)
	if err != nil || !mat.Equal(placed.Embedding, places) {
		t.Errorf("%s: rows are not placed where they were learnt, error %v", name, err)
	}
	near, err := m.Neighbors(t.Context(), x, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range near.Distance {
		j := near.Point[i][1]
		want := math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1))
		if d[0] != 0 || math.Abs(d[1]-want) > 1e-4*unit || i%2 != j%2 {
			t.Fatalf("%s: row %d is at %v and %v from its points, want 0 and %v of its own heap", name, i, d[0], d[1], want)
		}
	}
	decoded, err := m.Decode(t.Context(), places)
	if err != nil {
		t.Fatal(err)
	}
	why, err := m.Explain(t.Context(), x, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 120 {
		for j := range 2 {
			if got := decoded.X.At(i, j); math.Abs(got-x.At(i, j)) > 0.3*unit {
				t.Fatalf("%s: row %d is decoded to %v, want about %v", name, i, got, x.At(i, j))
			}
		}
		if len(why[i]) == 0 {
			continue
		}
		if r := why[i][0]; math.Abs(r.Value-x.At(i, r.Element)) > 1e-6*unit || math.Abs(r.Expected-r.Value) > 0.3*unit {
			t.Fatalf("%s: row %d: element %d is %v, expected %v, but given as %v", name, i, r.Element, r.Value, r.Expected, x.At(i, r.Element))
		}
	}
}

// New rows are inserted in the units of the others, and a refresh keeps them.
func TestFarInsert(t *testing.T) {
	x := far(1, 500_000, 4_649_776)
	m, err := Fit(t.Context(), x, Options{Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	fresh := mat.NewDense(2, 2, []float64{500_000.001, 4_649_776, 500_001.002, 4_649_776})
	id, err := m.Insert(t.Context(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	near, err := m.Neighbors(t.Context(), fresh, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range near.Point {
		if p[0] != id[i] || near.Distance[i][0] != 0 {
			t.Errorf("row %d is at %v from point %d, want 0 from its own, %d", i, near.Distance[i], p[0], id[i])
		}
	}
}
