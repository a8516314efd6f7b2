package lllvm

import (
	"testing"

	"unfold/models"
	"unfold/models/modeltest"
)

// The memory of a covariance and of the patches' moments is predicted without the graph: exactly
// for a single patch, approximately for points near a surface.
func TestNumbersOfTheFronts(t *testing.T) {
	for _, c := range []struct{ n, patch int }{{500, 0}, {500, 800}, {3000, 500}, {3000, 150}, {5000, 1000}} {
		s := FitSettings{Common: models.Common{Dims: 2}, Options: Options{Patch: c.patch, Points: c.n}}
		want, moments := s.shape(c.n).numbers(2)
		g := inPatches(t, nearest(t, modeltest.SwissRoll(c.n), 9), s.patch(c.n), 0)
		got, _ := g.tree.Numbers(2)
		var inside int64
		for _, p := range g.parts {
			inside += int64(4 * p.len() * p.len())
		}
		most := 1.5
		if g.exact() {
			most = 1
		}
		if r := float64(want) / float64(got); r > most || r < 1/most {
			t.Errorf("%d points in patches of %d: %d numbers, predicted %d", c.n, c.patch, got, want)
		}
		if r := float64(moments) / float64(inside); r > most || r < 1/most {
			t.Errorf("%d points in patches of %d: %d moments, predicted %d", c.n, c.patch, inside, moments)
		}
	}
}

// The number of points selects the patches. The forecast grows with points, starts and rows to
// place, and stays finite for all of them.
func TestForecast(t *testing.T) {
	resolve := func(s FitSettings) FitSettings {
		s, err := s.Resolved()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := resolve(FitSettings{Common: models.Common{Threads: 2}, Options: Options{Points: 20_000}})
	if s.patch(ExactPoints) != 0 || s.patch(ExactPoints+1) != PatchPoints {
		t.Errorf("patches of %d and %d points", s.patch(ExactPoints), s.patch(ExactPoints+1))
	}
	exact, many := s.Bytes(2000, 3), s.Bytes(10_000, 3)
	if exact < 2*8*4000*4000 || exact > 3<<30 || many < exact || many > 5*exact {
		t.Errorf("%d bytes for 2000 points, %d for 10,000", exact, many)
	}
	restarts := resolve(FitSettings{Common: models.Common{Threads: 2}, Options: Options{Points: 20_000, Restarts: 5}})
	if b := restarts.Bytes(2000, 3); b <= exact {
		t.Errorf("%d bytes with restarts, %d without", b, exact)
	}
	few := resolve(FitSettings{Options: Options{Points: 1000}})
	if few.Bytes(1000, 3) >= few.Bytes(5000, 3) {
		t.Error("to place the others takes nothing")
	}
	last := 0.0
	for _, n := range []int{20, 400, 4000} {
		seconds, err := few.Seconds(t.Context(), n, 5)
		if err != nil || !(seconds > last) || seconds > 1e5 {
			t.Errorf("%d points: %g seconds after %g (%v)", n, seconds, last, err)
		}
		last = seconds
	}
}
