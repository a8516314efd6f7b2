package spd

import (
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// tile is the side of the squares that Mirror turns one after the other.
const tile = 32

// Mirror copies the lower triangle of a over the upper one.
func Mirror(a vec.Matrix[float64], threads int) {
	n := whole(a).n
	par.Ranges(threads, n, tile, func(_, from, to int) {
		// The squares of the columns from..to below the diagonal.
		for low := from; low < n; low += tile {
			if low == from || low+tile > n || to-from < tile {
				turn(a.Data, n, low, min(low+tile, n), from, to)
				continue
			}
			for i := low; i < low+tile; i += 4 {
				for j := from; j < to; j += 4 {
					turn4(a.Data, n, i, j)
				}
			}
		}
	})
}

// turn copies what is below the diagonal of rows low..high and columns from..to.
func turn(a []float64, n, low, high, from, to int) {
	for i := low; i < high; i++ {
		for j := from; j < min(to, i); j++ {
			a[j*n+i] = a[i*n+j]
		}
	}
}

// turn4 copies the transpose of 4 x 4 elements from (i, j) to (j, i).
func turn4(a []float64, n, i, j int) {
	r0, r1 := (*[4]float64)(a[i*n+j:]), (*[4]float64)(a[(i+1)*n+j:])
	r2, r3 := (*[4]float64)(a[(i+2)*n+j:]), (*[4]float64)(a[(i+3)*n+j:])
	for c := range 4 {
		line := (*[4]float64)(a[(j+c)*n+i:])
		line[0], line[1], line[2], line[3] = r0[c], r1[c], r2[c], r3[c]
	}
}
