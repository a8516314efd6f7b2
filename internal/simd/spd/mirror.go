package spd

import (
	"unfold/internal/par"
	"unfold/internal/simd/transpose"
	"unfold/internal/vec"
)

// squareSide is the side of the squares that are transposed one after the other.
const squareSide = 32

// Mirror copies the lower triangle of a over the upper one.
func Mirror(a vec.Matrix[float64], threads int) {
	n := whole(a).n
	eachPair(n, threads, func(low, high, from, to int) {
		if low > from {
			transpose.Columns(a.Data[from*n+low:], n, a.Data[low*n+from:], n, high-low, to-from)
			return
		}
		for i := low; i < high; i++ {
			for j := low; j < i; j++ {
				a.Data[j*n+i] = a.Data[i*n+j]
			}
		}
	})
}

// Turn overwrites the square matrix a with its transpose.
func Turn(a vec.Matrix[float64], threads int) {
	n := whole(a).n
	eachPair(n, threads, func(low, high, from, to int) {
		if low > from {
			var kept [squareSide * squareSide]float64
			below, above, high, wide := a.Data[low*n+from:], a.Data[from*n+low:], high-low, to-from
			transpose.Columns(kept[:], squareSide, below, n, high, wide)
			transpose.Columns(below, n, above, n, wide, high)
			for j := range wide {
				copy(above[j*n:], kept[j*squareSide:][:high])
			}
			return
		}
		for i := low; i < high; i++ {
			for j := low; j < i; j++ {
				a.Data[i*n+j], a.Data[j*n+i] = a.Data[j*n+i], a.Data[i*n+j]
			}
		}
	})
}

// eachPair calls do for the squares on and below the diagonal of n rows: rows low..high and columns
// from..to.
func eachPair(n, threads int, do func(low, high, from, to int)) {
	par.Ranges(threads, n, squareSide, func(_, from, to int) {
		for low := from; low < n; low += squareSide {
			do(low, min(low+squareSide, n), from, to)
		}
	})
}
