package transpose

import (
	"math"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// Every instruction set moves all bits to their places, reads nothing outside, and leaves memory
// between the rows unchanged.
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
		}
	}
}

func TestColumnsOfTooFew(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a square of 63 elements is taken")
		}
	}()
	Columns(make([]float64, 64), Side, make([]float64, 63), Side, Side, Side)
}

// Columns writes the transpose of any shape with every instruction set, and nothing else.
func TestColumns(t *testing.T) {
	for _, l := range simd.Levels() {
		t.Run(l.String(), func(t *testing.T) {
			for rows := 1; rows < 35; rows++ {
				for _, cols := range []int{1, 7, 8, 9, 40, 131} {
					testColumns(t, l, rows, cols)
				}
			}
		})
	}
	Columns(nil, 1, nil, 1, 0, 5) // none of five
}

func testColumns(t *testing.T, l simd.Level, rows, cols int) {
	t.Helper()
	from, to := cols+rows%3, rows+cols%5
	src := simdtest.AtEnd[float64](t, (rows-1)*from+cols)
	for k := range src {
		src[k] = float64(k + 1)
	}
	dst := simdtest.AtEnd[float64](t, (cols-1)*to+rows)
	for k := range dst {
		dst[k] = -3
	}
	columns(l, dst, to, src, from, rows, cols)
	for k, v := range dst {
		want := -3.0
		if i := k % to; i < rows {
			want = src[i*from+k/to]
		}
		if v != want {
			t.Fatalf("%d x %d: element %d is %v, want %v", rows, cols, k, v, want)
		}
	}
}
