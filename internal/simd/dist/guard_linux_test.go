package dist

import (
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
	"unfold/internal/vec"
)

// No kernel reads or writes outside its slices.
func TestKernelsStayInside(t *testing.T) {
	const most, stride = 257, 260
	q, data := simdtest.AtEnd[float32](t, most), simdtest.AtEnd[float32](t, 4*stride+most)
	rows, out, exact := simdtest.AtEnd[int32](t, 13), simdtest.AtEnd[float32](t, 13), simdtest.AtEnd[float64](t, 13)
	for k := range data {
		data[k] = float32(k % 11)
	}
	for _, l := range simd.Levels() {
		for n := range most + 1 {
			// All slices end where their memory does.
			x, d := q[most-n:], data[most-n:]
			squaredAt(l, x, data[len(data)-n:])
			var lanes [4]float64
			absolute64(l, manhattan, &lanes, x, data[len(data)-n:])
			absolute64(l, chebyshev, &lanes, x, data[len(data)-n:])
			for count := range len(rows) + 1 {
				r := rows[len(rows)-count:]
				for i := range r {
					r[i] = int32(4 - i%5)
				}
				o, e := out[len(out)-count:], exact[len(exact)-count:]
				rowsAt(l, squared, o, x, d, stride, r)
				exactAt(l, e, x, d, stride, r)
				for i := range r {
					if want := vec.SquaredDistance(x, d[int(r[i])*stride:][:n]); e[i] != want {
						t.Fatalf("%v: %d elements, row %d: exactly %v, want %v", l, n, r[i], e[i], want)
					}
					if want := pairTwin(x, d[int(r[i])*stride:]); o[i] != want {
						t.Fatalf("%v: %d elements, row %d: %v, want %v", l, n, r[i], o[i], want)
					}
				}
				for _, m := range []measure{manhattan, chebyshev, canberra} {
					rowsAt(l, m, o, x, d, stride, r)
					for i := range r {
						if want := absoluteTwin(m, x, d[int(r[i])*stride:]); o[i] != want {
							t.Fatalf("%v: measure %d, %d elements, row %d: %v, want %v", l, m, n, r[i], o[i], want)
						}
					}
				}
			}
		}
	}
}
