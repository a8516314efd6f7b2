package view

import (
	"testing"

	"pgregory.net/rapid"
)

// The index agrees with a Go map, also when hashes collide in all or half of their bits.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newIndex()
		hashes := rapid.SliceOfN(rapid.OneOf(rapid.Uint64Range(0, 5), rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64Range(0, 3).Draw(t, "high")<<32 | rapid.Uint64Range(60, 66).Draw(t, "low")
		}), rapid.Uint64()), 1, 300).Draw(t, "hashes")
		of := func(slot uint32) uint64 { return hashes[slot] }
		there := map[uint32]bool{}
		for range rapid.IntRange(1, 600).Draw(t, "steps") {
			slot := uint32(rapid.IntRange(0, len(hashes)-1).Draw(t, "slot"))
			if there[slot] || rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				x.remove(of(slot), slot, of)
				delete(there, slot)
			} else {
				x.add(of(slot), slot, of)
				there[slot] = true
			}
		}
		for slot := range hashes {
			s := uint32(slot)
			got, found := x.find(of(s), func(o uint32) bool { return o == s })
			if found != there[s] || found && got != s {
				t.Fatalf("slot %d: %d, %v; want %v", s, got, found, there[s])
			}
		}
		if x.n != len(there) || 2*x.n > len(x.entries) {
			t.Fatalf("%d entries of %d for %d", x.n, len(x.entries), len(there))
		}
	})
}
