package stage

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// The newest events have vectors, each its own; one that is forgotten has none, and what is kept
// does not grow beyond its bounds.
func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const dim = 3
		room := rapid.IntRange(1, 12).Draw(t, "room")
		v := newVectors(100, room*4*dim)
		newest := map[int]float32{}
		value := float32(0)
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			id := rapid.IntRange(0, 20).Draw(t, "id")
			if rapid.IntRange(0, 5).Draw(t, "what") == 0 {
				v.remove(strconv.Itoa(id))
				delete(newest, id)
				continue
			}
			value++
			newest[id] = value
			v.put(table.StringColumn("id", []string{strconv.Itoa(id)}), vec.Of(1, dim, []float32{value, value, value}))
			if x, there := v.get(strconv.Itoa(id)); !there || x[0] != value || len(x) != dim {
				t.Fatalf("the newest is %v, %v", x, there)
			}
		}
		for id := range 21 {
			if x, there := v.get(strconv.Itoa(id)); there && x[2] != newest[id] {
				t.Fatalf("event %d has %v, want %v", id, x, newest[id])
			}
		}
		if len(v.key) > room || len(v.row) > room {
			t.Fatalf("%d of %d are kept", len(v.key), room)
		}
	})
}
