package turn

import (
	"math"
	"testing"

	"unfold/sparse/vec/simd"
	"unfold/sparse/vec/simd/simdtest"
)

// Every level moves all bits to their places, reads nothing outside and leaves what lies
// between the rows alone; also in place.
func TestSquare(t *testing.T) {
	for _, l := range simd.Levels() {
		for gap := range 257 {
			from, to := Side+gap%100, Side+gap
			src := simdtest.AtEnd[float64](t, (Side-1)*from+Side)
			for k := range src {
				src[k] = math.Float64frombits(0x7ff0_0000_0000_0001 + uint64(k)*0x9e3779b97f4a7c15)
			}
			dst := simdtest.AtEnd[float64](t, (Side-1)*to+Side)
			for k := range dst {
				dst[k] = -3
			}
			square(l, dst, to, src, from)
			for k, v := range dst {
				i, j := k/to, k%to
				if j >= Side {
					if v != -3 {
						t.Fatalf("%v: element %d beyond row %d is written", l, j, i)
					}
				} else if math.Float64bits(v) != math.Float64bits(src[j*from+i]) {
					t.Fatalf("%v: element %d of row %d is %x", l, j, i, math.Float64bits(v))
				}
			}
			want := make([]float64, len(src))
			copy(want, src)
			square(l, src, from, src, from)
			for i := range Side {
				for j := range Side {
					if math.Float64bits(src[i*from+j]) != math.Float64bits(want[j*from+i]) {
						t.Fatalf("%v: in place, element %d of row %d", l, j, i)
					}
				}
			}
		}
	}
}

func TestSquareOfTooFew(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a square of 63 elements is taken")
		}
	}()
	Square(make([]float64, 64), Side, make([]float64, 63), Side)
}
