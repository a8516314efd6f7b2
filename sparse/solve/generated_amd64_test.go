//go:build amd64 && !noasm

package solve

import (
	"math"
	"testing"

	"unfold/internal/simd/simdtest"
)

func TestGenerated(t *testing.T) { simdtest.Generated(t, "solve") }

// atEnd returns a copy followed by room readable elements, and then by inaccessible memory.
func atEnd[T any](t *testing.T, s []T, room int) []T {
	out := simdtest.AtEnd[T](t, len(s)+room)
	copy(out, s)
	return out[:len(s)]
}

// near reports whether two float32 values differ at most by the order of sums of terms of the given
// size.
func near(u, v float32, size float64) bool {
	return math.IsNaN(float64(u)) && math.IsNaN(float64(v)) || u == v || math.Abs(float64(u)-float64(v)) <= 1e-5*size
}
