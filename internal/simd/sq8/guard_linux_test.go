package sq8

import (
	"slices"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// No kernel reads or writes outside its slices, which end at the end of memory.
func TestKernelsStayInside(t *testing.T) {
	const most = 5
	for _, l := range simd.Levels() {
		for width := group; width <= 257; width += 3 * group {
			code, data := simdtest.AtEnd[int8](t, width), simdtest.AtEnd[uint8](t, most*width*Side)
			norm, out := simdtest.AtEnd[int32](t, most*Side), simdtest.AtEnd[int32](t, most*Side)
			reach := slices.Repeat([]uint8{(128 + 1) / 2}, width)
			for i := range data {
				data[i] = uint8(i % 128)
			}
			for i := range code {
				code[i] = int8(i%255 - 127)
			}
			q := queryOf(code, reach)
			for n := range most + 1 {
				p := &Panels{reach: reach, data: data[(most-n)*width*Side:], norm: norm[(most-n)*Side:]}
				o, want := out[(most-n)*Side:], make([]int32, n*Side)
				p.scoresAt(l, o, q, 0, n)
				scoresTwin(want, code, p.data, p.norm, n)
				if !slices.Equal(o, want) {
					t.Fatalf("%v: width %d, %d panels: %v, want %v", l, width, n, o, want)
				}
			}
		}
	}
}
