package spd

import (
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// Mirror copies the lower triangle of a over the upper one.
func Mirror(a vec.Matrix[float64], threads int) {
	const tile = 32
	n := whole(a).n
	par.Ranges(threads, n, tile, func(_, from, to int) {
		// The tiles of the columns from..to below the diagonal.
		for low := from; low < n; low += tile {
			for i := low; i < min(low+tile, n); i++ {
				for j := from; j < min(to, i); j++ {
					a.Data[j*n+i] = a.Data[i*n+j]
				}
			}
		}
	})
}
