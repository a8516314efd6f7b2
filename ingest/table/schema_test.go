package table_test

import (
	"testing"

	"unfold/ingest/table"
)

// A path may lie in a column whose parts are not known, and not beside the parts that are.
func TestMay(t *testing.T) {
	s := table.Schema{
		{Name: "id", Kind: table.Text}, {Name: "scores", Kind: table.Other}, {Name: "vector", Kind: table.Vector},
		{Name: "place", Kind: table.Other, Parts: table.Schema{{Name: "x", Kind: table.Number}}},
	}
	for name, want := range map[string]bool{
		"id": true, "scores": true, "scores.a": true, "place.x": true, "place.y": false, "vector.0": false, "score": false, "id.a": false, "": false,
	} {
		if s.May(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
