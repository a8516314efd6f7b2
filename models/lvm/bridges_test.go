package lvm

import (
	"errors"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// A snapshot names the edges that join the parts of a map by its points, also where rows are equal.
// Damaged parts are errors.
func TestBridgesOfASnapshot(t *testing.T) {
	var data []float32
	for _, start := range []float32{0, 100, 250} { // every point twice
		for i := range 8 {
			at := start + float32(i)
			data = append(data, at, 0, at, 0)
		}
	}
	x := vec.Of(48, 2, data)
	r, err := Fit(t.Context(), x, Settings{models.Common{Neighbors: 3, Steps: -1}, Options{Tails: Gaussian}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := r.Snapshot(vec.Take(x, r.Unique), 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Bridges(s)
	if want := []models.Bridge{{Row: 7, Other: 8, Distance: 93}, {Row: 15, Other: 16, Distance: 143}}; err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("the edges are %v, want %v (%v)", got, want, err)
	}
	for name, damage := range map[string]func(s *snapshot.Snapshot){
		"a point that is not there": func(s *snapshot.Snapshot) {
			s.Parts[0] = snapshot.Part{Name: partBridges, Rows: 2, Cols: 2, Data: []uint32{0, 1, 2, 24}}
		},
		"too few lengths": func(s *snapshot.Snapshot) {
			s.Parts[1] = snapshot.Part{Name: partLengths, Rows: 1, Cols: 1, Data: []float64{1}}
		},
		"other numbers": func(s *snapshot.Snapshot) {
			s.Parts[0] = snapshot.Part{Name: partBridges, Rows: 2, Cols: 2, Data: []float64{0, 1, 2, 3}}
		},
	} {
		bad := *s
		bad.Parts = append([]snapshot.Part(nil), s.Parts...)
		damage(&bad)
		if _, err := Bridges(&bad); !errors.Is(err, models.ErrBadInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
