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
	eachKernel(func(l simd.Level) {
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
			ends, room := simdtest.AtEnd[uint8](t, width), simdtest.AtEnd[uint8](t, width/group)
			copy(ends, reach)
			if got := runs(l, room[:0], code, ends); !slices.Equal(got, q.runs) {
				t.Fatalf("%v: width %d: runs %v, want %v", l, width, got, q.runs)
			}
			x, center, to := simdtest.AtEnd[float32](t, width), simdtest.AtEnd[float32](t, width), simdtest.AtEnd[int8](t, width)
			if round(l, to, x, center, ends, 1); slices.Max(to) != 0 {
				t.Fatalf("%v: width %d: codes %v of nothing", l, width, to)
			}
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
	})
}
