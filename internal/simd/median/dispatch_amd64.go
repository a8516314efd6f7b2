//go:build amd64 && !noasm

package median

import "unfold/internal/simd"

// whole returns the largest number up to n that fills whole registers of a level.
func whole(l simd.Level, n int) int {
	switch l {
	case simd.AVX512:
		return n &^ 7
	case simd.AVX2:
		return n &^ 3
	}
	return 0
}

func extentAt(l simd.Level, x []float64) (low, high float64) {
	low, high = nothing()
	w := whole(l, len(x))
	switch {
	case w == 0:
	case l == simd.AVX512:
		low, high = extentAVX512(&x[0], w)
	case l == simd.AVX2:
		low, high = extentAVX2(&x[0], w)
	}
	return extent(x[w:], low, high)
}

func belowAt(l simd.Level, x []float64, p float64) (count int) {
	w := whole(l, len(x))
	switch {
	case w == 0:
	case l == simd.AVX512:
		count = belowAVX512(&x[0], w, p)
	case l == simd.AVX2:
		count = belowAVX2(&x[0], w, p)
	}
	return count + below(x[w:], p)
}

func betweenAt(l simd.Level, number []float64, index []int32, x []float64, of []int32, low, high float64) (count int) {
	_, _, _ = number[:len(x)], index[:len(x)], of[:len(x)]
	w := whole(l, len(x))
	switch {
	case w == 0:
	case l == simd.AVX512:
		count = betweenAVX512(&number[0], &index[0], &x[0], &of[0], w, low, high)
	case l == simd.AVX2:
		count = betweenAVX2(&number[0], &index[0], &x[0], &of[0], w, low, high)
	}
	return between(number, index, x, of, w, count, low, high)
}

func divideAt(l simd.Level, t *Table, k, from, to int, v float64, last int32) int {
	for c := range t.Columns {
		_, _ = t.Columns[c][from:to], t.Spare[c][from:to]
	}
	_, _, _ = t.Index[from:to], t.SpareIndex[from:to], t.Columns[k]
	w, low := from+whole(l, to-from), from
	switch {
	case w == from:
	case l == simd.AVX512:
		low = divideAVX512(&t.Columns[0], &t.Spare[0], &t.Index[0], &t.SpareIndex[0], len(t.Columns), k, from, w, v, int64(last))
	case l == simd.AVX2:
		low = divideAVX2(&t.Columns[0], &t.Spare[0], &t.Index[0], &t.SpareIndex[0], len(t.Columns), k, from, w, v, int64(last))
	}
	return divide(t, k, w, to, low, from+w-low, v, last)
}
