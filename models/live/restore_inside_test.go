package live

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRestoredLists: lists restored from their rows and slots have the slots and neighbours of those
// that were kept, however many slots are free.
func TestRestoredLists(t *testing.T) {
	set := quick()
	rng := rand.New(rand.NewPCG(7, 1))
	for _, free := range []int{0, 1, 2, 5, 17} {
		x := blobs(40, 4, 3)
		kept, err := newLists(t.Context(), x, set)
		if err != nil {
			t.Fatal(err)
		}
		var gone []int32
		for _, slot := range rng.Perm(39)[:free] { // the last slot stays in use
			gone = append(gone, int32(slot))
		}
		slices.Sort(gone)
		if _, err := kept.change(t.Context(), gone, none); err != nil {
			t.Fatal(err)
		}
		rows := blobs(40-free, 4, 3)
		slots := kept.Slots(nil)
		for r, slot := range slots {
			copy(rows.Row(r), x.Row(int(slot)))
		}
		again, err := restoreLists(t.Context(), rows, slots, set)
		if err != nil {
			t.Fatal(err)
		}
		same(t, kept, again)
	}
}

// same compares the slots and neighbours of two lists.
func same(t *testing.T, a, b *lists) {
	t.Helper()
	slots := a.Slots(nil)
	if other := b.Slots(nil); !slices.Equal(slots, other) {
		t.Errorf("slots %v, restored %v", slots, other)
		return
	}
	for _, slot := range slots {
		index, dist2 := a.Neighbors(slot)
		otherIndex, otherDist2 := b.Neighbors(slot)
		if !slices.Equal(index, otherIndex) || !slices.Equal(dist2, otherDist2) {
			t.Errorf("the neighbours of slot %d are %v, restored %v", slot, index, otherIndex)
		}
	}
}
