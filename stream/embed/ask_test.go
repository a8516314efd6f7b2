package embed

import (
	"math"
	"testing"

	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/fit"
)

// A vector without its record gets the same reasons, with values decoded from the vector.
func TestAskVectors(t *testing.T) {
	odd := flowTable(t, []int64{51000, 20}, []float64{0.5, -9}, []string{"http", "smtp"})
	for name, pca := range map[string]int{"as they are": fit.PCANone, "after components": 4} {
		t.Run(name, func(t *testing.T) {
			s := flowMap(t, pca)
			want := asked(t, s, odd, Explain{Columns: 3})
			m, err := Open(s, Settings{Files: true})
			if err != nil {
				t.Fatal(err)
			}
			got, err := m.AskVectors(t.Context(), table.StringColumn("id", []string{"a", "b"}), want.Batch.X)
			if err == nil {
				err = got.Explain(t.Context(), Explain{Columns: 3})
			}
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want.Why() {
				g := got.Why()[i]
				if len(g.Reasons) != len(w.Reasons) || g.Global != w.Global || g.Neighbors[0] != w.Neighbors[0] {
					t.Fatalf("event %d: %+v, want %+v", i, g, w)
				}
				for k, r := range w.Reasons {
					h := g.Reasons[k]
					if h.Column != r.Column || h.Share != r.Share || h.Direction != r.Direction || h.Category != r.Category || !r.Text && math.Abs(h.Value-r.Value) > 1e-4*math.Abs(r.Value)+1e-6 {
						t.Errorf("event %d, reason %d: %+v, want %+v", i, k, h, r)
					}
				}
			}
			if at := got.All(); at.Len() != 2 || at.ID.Text(1) != "b" || at.Embedding.Row(0)[0] != want.All().Embedding.Row(0)[0] {
				t.Errorf("places are %+v", at)
			}
		})
	}
}

// Reference points are found by their ids, or by their numbers if they have none, with the vectors
// they were learnt from, as far as the model keeps them.
func TestPoint(t *testing.T) {
	s := flowMap(t, fit.PCANone)
	m, err := Open(s, Settings{Files: true})
	if err != nil {
		t.Fatal(err)
	}
	n := s.Reference.Rows
	ids := make([]string, n)
	ids[3], ids[4] = "three", "7"
	named := m.WithPointIDs(ids)
	for _, c := range []struct {
		name string
		of   *Map
		id   string
		row  int
	}{
		{"a number", m, "3", 3}, {"an id", named, "three", 3}, {"an id that is a number", named, "7", 4}, {"a number of one without an id", named, "5", 5},
		{"a number of one with an id", named, "3", -1}, {"none", m, "", -1}, {"beyond", m, "100000", -1}, {"negative", m, "-1", -1}, {"written otherwise", m, "03", -1},
	} {
		x, there := c.of.Point(c.id)
		if there != (c.row >= 0) || there && vec.SquaredDistance(x, s.Reference.Row(c.row)) != 0 {
			t.Errorf("%s: %v, %v", c.name, x, there)
		}
	}
	at := s.Mu.Row(5)
	if x, there := m.PointAt(float32(at[0]), float32(at[1])); !there || vec.SquaredDistance(x, s.Reference.Row(5)) != 0 {
		t.Errorf("at the place of point 5: %v, %v", x, there)
	}
	for _, place := range [][]float32{{float32(at[0]) + .01, float32(at[1])}, {float32(at[0])}, nil} {
		if x, there := m.PointAt(place...); there {
			t.Errorf("at %v: %v", place, x)
		}
	}
}
