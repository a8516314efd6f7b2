package median

import (
	"math"

	"unfold/internal/simd"
)

var level = simd.Best()

// extent returns the smallest and the largest number, starting from the given two.
func extent(x []float64, low, high float64) (float64, float64) {
	for _, v := range x {
		if v < low { // min and max take five times as long
			low = v
		}
		if v > high {
			high = v
		}
	}
	return low, high
}

// nothing is the extent of no numbers.
func nothing() (low, high float64) { return math.Inf(1), math.Inf(-1) }

// below returns the number of elements less than p.
func below(x []float64, p float64) (count int) {
	for _, v := range x {
		if v < p {
			count++
		}
	}
	return count
}

// between copies to number and index the elements of x from i on that are within low..high, after
// the first count ones, and returns the new count.
func between(number []float64, index []int32, x []float64, of []int32, i, count int, low, high float64) int {
	for ; i < len(x); i++ {
		if v := x[i]; low <= v && v <= high {
			number[count], index[count] = v, of[i]
			count++
		}
	}
	return count
}

// divide distributes rows i..to by column k. Rows up to (v, last) move to row low and the
// following, the others to row high and the following of the spare table. It returns the row after
// the last of the first.
func divide(t *Table, k, i, to, low, high int, v float64, last int32) int {
	for ; i < to; i++ {
		x := t.Columns[k][i]
		if before(v, last, x, t.Index[i]) {
			for c, column := range t.Columns {
				t.Spare[c][high] = column[i]
			}
			t.SpareIndex[high] = t.Index[i]
			high++
			continue
		}
		for _, column := range t.Columns {
			column[low] = column[i]
		}
		t.Index[low] = t.Index[i]
		low++
	}
	return low
}
