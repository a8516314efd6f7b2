package view

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// The newest points have their own vectors, removed points have none, and memory stays within the
// limit.
func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := 3
		room := rapid.IntRange(0, 12).Draw(t, "room")
		size := rapid.IntRange(1, 15).Draw(t, "size")
		h := New(Settings{Size: size, Vectors: room * (4*dim + 8)})
		newest := map[string]float32{}
		value := float32(0)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			id := strconv.Itoa(rapid.IntRange(0, 20).Draw(t, "id"))
			if rapid.IntRange(0, 5).Draw(t, "what") == 0 {
				h.Remove(id)
				delete(newest, id)
				if _, there := h.Vector(id); there {
					t.Fatal("what has left has a vector")
				}
				continue
			}
			value++
			newest[id] = value
			if err := h.Put(Rows{ID: table.StringColumn("id", []string{id}), X: []float32{1}, Y: []float32{2}, Vectors: vec.Of(1, dim, []float32{value, value, value})}); err != nil {
				t.Fatal(err)
			}
			if x, there := h.Vector(id); there != (room > 0) || there && (x[0] != value || len(x) != dim) {
				t.Fatalf("the newest is %v, %v, with room for %d", x, there, room)
			}
		}
		for id := range 21 {
			id := strconv.Itoa(id)
			x, there := h.Vector(id)
			if there && x[2] != newest[id] {
				t.Fatalf("point %s has %v, want %v", id, x, newest[id])
			}
			if _, _, shown := h.Point(id, 0); shown && !there && room >= size {
				t.Fatalf("point %s has no vector, with room for all", id)
			}
		}
		if v := h.ring.vectors; v != nil && len(v.slot) > min(room, size) {
			t.Fatalf("%d vectors of %d are kept", len(v.slot), min(room, size))
		}
	})
	h := New(Settings{Vectors: 1000})
	in := Rows{ID: table.StringColumn("id", []string{"a"}), X: []float32{1}, Y: []float32{2}, Vectors: vec.Of(1, 2, []float32{1, 2})}
	for _, x := range []vec.Matrix[float32]{in.Vectors, vec.Of(1, 3, []float32{3, 4, 5})} {
		in.Vectors = x
		if err := h.Put(in); err != nil {
			t.Fatal(err)
		}
		if got, there := h.Vector("a"); !there || len(got) != x.Cols {
			t.Errorf("of %d values there are %v", x.Cols, got)
		}
	}
	in.Vectors = vec.Of(2, 1, []float32{1, 2})
	if err := h.Put(in); err == nil {
		t.Error("two vectors for a point are taken")
	}
}
