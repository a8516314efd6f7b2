package view

import (
	"math"
	"slices"
	"testing"

	"unfold/ingest/table"
)

// uncertainRows are points a to f with classes. Of the last one nothing is known.
func uncertainRows() Rows {
	nan := float32(math.NaN())
	return Rows{
		ID: table.StringColumn("id", []string{"a", "b", "c", "", "e", "f"}), X: []float32{0, 1, 2, 3, 4, 5}, Y: make([]float32, 6), At: 7,
		Columns: []table.Column{
			table.StringColumn("kind", []string{"", "web", "", "", "", ""}),
			table.StringColumn("class", []string{"web", "web", "dns", "dns", "dns", ""}),
			table.Float32Column("class_probability", []float32{1, .5, .75, .5, .5, nan}),
			table.Float32Column("class_entropy", []float32{0, .69, .5, .69, .69, nan}),
		},
	}
}

// The points whose class is least certain come first; those with a label or without an id are not asked for.
func TestUncertain(t *testing.T) {
	h := New(Settings{Label: "kind"})
	if err := h.Put(uncertainRows()); err != nil {
		t.Fatal(err)
	}
	ids := func(all []Uncertain) (ids []string) {
		for _, p := range all {
			ids = append(ids, p.ID)
		}
		return ids
	}
	all := h.Uncertain(10)
	if !slices.Equal(ids(all), []string{"e", "c", "a"}) || all[1].X != 2 || all[1].At != 7 || all[1].Entropy != .5 || !slices.Equal(all[1].Classes, []ClassShare{{"dns", .75}}) {
		t.Errorf("%+v", all)
	}
	if got := ids(h.Uncertain(2)); !slices.Equal(got, []string{"e", "c"}) {
		t.Errorf("the first two are %q", got)
	}
	if got := h.Uncertain(0); got == nil || len(got) > 0 {
		t.Errorf("none are %v", got)
	}
	// A label that comes later takes its point from the list.
	later := uncertainRows()
	later.Columns[0] = table.StringColumn("kind", []string{"", "web", "dns", "", "", ""})
	if err := h.Put(later); err != nil {
		t.Fatal(err)
	}
	if got := ids(h.Uncertain(10)); !slices.Equal(got, []string{"e", "a"}) {
		t.Errorf("after a label: %q", got)
	}
	h.Remove("e")
	if got := ids(h.Uncertain(10)); !slices.Equal(got, []string{"a"}) {
		t.Errorf("after a removal: %q", got)
	}
	plain := New(Settings{})
	if got := plain.Uncertain(3); len(got) > 0 {
		t.Errorf("points without classes: %v", got)
	}
}
