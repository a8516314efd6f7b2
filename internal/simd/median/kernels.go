package median

import (
	"math"

	"unfold/internal/simd"
)

var level = simd.Best()

// extent returns the least and the largest number, starting from two numbers.
func extent(x []float64, low, high float64) (float64, float64) {
	for _, v := range x {
		if v < low { // not min and max, which take five times as long
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

// below returns how many numbers are less than p.
func below(x []float64, p float64) (count int) {
	for _, v := range x {
		if v < p {
			count++
		}
	}
	return count
}

// between sets number and index to the elements of x that are at least low and at
// most high, from element i on, count of which are there already, and returns how
// many there are.
func between(number []float64, index []int32, x []float64, of []int32, i, count int, low, high float64) int {
	for ; i < len(x); i++ {
		if v := x[i]; low <= v && v <= high {
			number[count], index[count] = v, of[i]
			count++
		}
	}
	return count
}

// divide moves rows i..to that are not after (v, last) by column k to row low and
// the following, the others to row high and the following of the spare table, and
// returns the row after the last of the first.
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
