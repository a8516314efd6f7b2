package placing

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

func TestNearestObserved(t *testing.T) {
	nan := float32(math.NaN())
	seen := vec.Of(4, 2, []float32{0, 9, 5, 0, 1, 1, -1, 3})
	if got := nearestObserved([]float32{0, nan}, seen, 3); !slices.Equal(got, []int32{0, 2, 3}) {
		t.Errorf("%v", got)
	}
	if got := nearestObserved([]float32{nan, 0}, seen, 9); !slices.Equal(got, []int32{1, 2, 3, 0}) {
		t.Errorf("%v", got)
	}
}

func TestCheckObserved(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		x      []float32
		column int // of the error; -1: the row, -2: no error
		row    int
	}{{[]float32{1, nan, nan, 2}, -2, 0}, {[]float32{1, 2, nan, nan}, -1, 1}, {[]float32{1, inf, 2, 3}, 1, 0}, {[]float32{1, 2, inf, nan}, 0, 1}} {
		for _, names := range [][]string{{"a", "b"}, {"a"}, nil} {
			var row *models.RowError
			err := CheckObserved(vec.Of(2, 2, c.x), names)
			if is := errors.As(err, &row); is != (c.column > -2) || is && (row.Column != c.column || row.Row != c.row) {
				t.Errorf("%v: %v", c.x, err)
			} else if is && c.column >= 0 && c.column < len(names) != (row.Name != "") {
				t.Errorf("%v: the column is named %q", c.x, row.Name)
			}
		}
	}
}

// Rows with missing values are placed by the others and get the novelty of the completed rows. A
// row with the pattern and the values of a learnt point gets that point's place. Whole rows are
// placed as ever.
func TestPlaceObserved(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 9, 150, 6, 0, 2)
	nan := float32(math.NaN())
	for _, known := range []bool{false, true} { // learnt point 7 lacked value 2, or no point did
		l := Learnt{Rows: Sample(150, 40, 1), Neighbors: 4, Threads: 2, Units: Units{Shift: slices.Repeat([]float64{.5}, 6), Scale: 4}}
		l.X = vec.Take(s.Mu, l.Rows)
		for i := range l.X.Rows { // the frame of learning is moved against the map's
			l.X.Row(i)[0], l.X.Row(i)[1] = l.X.Row(i)[0]+2, l.X.Row(i)[1]-1
		}
		if known {
			l.Missing = func(j, c int) bool { return j == 7 && c == 2 }
		}
		l.Invite = func() Guest { return linear{l: l} }
		p, err := NewPlacer(s, l, Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		x := modeltest.Events(10, 50, 6)
		copy(x.Row(20), s.Reference.Row(int(l.Rows[7])))
		whole, full := x.Clone(), x.Clone()
		seen := vec.Take(s.Reference, l.Rows)
		at, variance := make([][]float64, 50), make([]float64, 50)
		for _, i := range []int{3, 16, 20, 49} {
			x.Row(i)[2] = nan
			full.Row(i)[2] = nan
			if i != 20 {
				x.Row(i)[5], full.Row(i)[5] = nan, nan
			}
			at[i], variance[i], _ = linear{l: l}.Place(t.Context(), x.Row(i), nearestObserved(x.Row(i), seen, 4))
			for c := range 6 {
				if full.Row(i)[c] != full.Row(i)[c] {
					full.Row(i)[c] = float32((float64(c)+at[i][c%2]*float64(1+c))/4 + .5)
				}
			}
		}
		if known {
			copy(full.Row(20), seen.Row(7))
			mu := s.Mu.Row(int(l.Rows[7]))
			at[20], variance[20] = []float64{mu[0] + 2, mu[1] - 1}, s.Sigma2[l.Rows[7]]
		}
		want, err := p.Place(t.Context(), full)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.PlaceObserved(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows {
			mu := want.Mu.Row(i)
			if at[i] != nil {
				mu = []float32{float32(at[i][0] - 2), float32(at[i][1] + 1)}
				if !near(float64(got.Sigma[i]), math.Sqrt(variance[i])) {
					t.Errorf("%v: row %d has the scale %g, want %g", known, i, got.Sigma[i], math.Sqrt(variance[i]))
				}
			}
			if vec.SquaredDistance(got.Mu.Row(i), mu) > 1e-10 || got.NoveltyLocal[i] != want.NoveltyLocal[i] || got.NoveltyGlobal[i] != want.NoveltyGlobal[i] {
				t.Errorf("%v: row %d is at %v, want %v", known, i, got.Mu.Row(i), mu)
			}
		}
		if all, err := p.PlaceObserved(t.Context(), whole); err != nil || !slices.Equal(all.Mu.Row(5), got.Mu.Row(5)) {
			t.Errorf("whole rows: %v", err)
		}
		var row *models.RowError
		copy(x.Row(4), []float32{nan, nan, nan, nan, nan, nan})
		if _, err := p.PlaceObserved(t.Context(), x); !errors.As(err, &row) || row.Row != 4 {
			t.Errorf("a row without values: %v", err)
		}
		var dim *models.DimensionError
		if _, err := p.PlaceObserved(t.Context(), vec.Of(1, 3, []float32{1, nan, 2})); !errors.As(err, &dim) || dim.Got != 3 {
			t.Errorf("a row of other columns: %v", err)
		}
		lost := errors.New("lost")
		l.Invite = func() Guest { return linear{l: l, fail: lost} }
		if p, err = NewPlacer(s, l, Options{}); err != nil {
			t.Fatal(err)
		}
		copy(x.Row(4), x.Row(5))
		if _, err := p.PlaceObserved(t.Context(), x); !errors.Is(err, lost) {
			t.Errorf("%v, want the guest's", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.PlaceObserved(ctx, x); !errors.Is(err, context.Canceled) {
			t.Errorf("%v of a cancelled context", err)
		}
	}
}

// A projection needs all values.
func TestPlaceObservedProjected(t *testing.T) {
	s, _ := modeltest.Snapshot(t, 9, 150, 6, 3, 2)
	l := Learnt{Rows: Sample(150, 40, 1), Neighbors: 4, Units: Units{Shift: make([]float64, 3), Scale: 1}}
	l.X = vec.Take(s.Mu, l.Rows)
	l.Invite = func() Guest { return linear{l: l} }
	p, err := NewPlacer(s, l, Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := modeltest.Events(10, 3, 6)
	x.Row(1)[4] = float32(math.NaN())
	var row *models.RowError
	if _, err := p.PlaceObserved(t.Context(), x); !errors.As(err, &row) || row.Row != 1 || row.Column != 4 {
		t.Errorf("%v", err)
	}
}
