package topk

import (
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// No kernel reads or writes outside its slices, which end at the end of memory.
func TestKernelsStayInside(t *testing.T) {
	const most = 5
	for _, l := range simd.Levels() {
		keys, at := simdtest.AtEnd[int32](t, most*Side), simdtest.AtEnd[int32](t, most*Side)
		for i := range keys {
			keys[i] = int32(i*i%17 - 8)
		}
		for n := range most + 1 {
			s, a := keys[(most-n)*Side:], at[(most-n)*Side:]
			if n > 0 {
				ranksAt(l, a, s, n*Side-1)
			}
			for _, b := range []int32{-1 << 31, 0, 1<<31 - 1} {
				if c := countAt(l, s, b); c != belowAt(l, a, s, b) || c != countTwin(s, b) {
					t.Fatalf("%v: %d of %d are below %d", l, c, n*Side, b)
				}
			}
		}
	}
}
