package dist

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Divide is a selection.
func TestDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.Uint64Range(0, 300), 1, 200, rapid.ID[uint64]).Draw(t, "keys")
		m := rapid.IntRange(0, len(keys)).Draw(t, "m")
		sorted := slices.Sorted(slices.Values(keys))
		Divide(keys, m)
		if front := slices.Sorted(slices.Values(keys[:m])); !slices.Equal(front, sorted[:m]) {
			t.Fatalf("the %d smallest are %v, want %v", m, front, sorted[:m])
		}
		if back := slices.Sorted(slices.Values(keys[m:])); !slices.Equal(back, sorted[m:]) {
			t.Fatalf("the others are %v, want %v", back, sorted[m:])
		}
	})
}
