package spd

import (
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// tile is the side of the squares that are turned one after the other.
const tile = 32

// Mirror copies the lower triangle of a over the upper one.
func Mirror(a vec.Matrix[float64], threads int) { eachPair(a, threads, lowerUp) }

// MirrorUpper copies the upper triangle of a over the lower one.
func MirrorUpper(a vec.Matrix[float64], threads int) { eachPair(a, threads, upperDown) }

// Turn overwrites the square matrix a with its transpose.
func Turn(a vec.Matrix[float64], threads int) { eachPair(a, threads, exchange) }

// What is done with a square below the diagonal and the one on the other side.
const (
	lowerUp = iota
	upperDown
	exchange
)

// eachPair goes over the squares on and below the diagonal.
func eachPair(a vec.Matrix[float64], threads int, what int) {
	n := whole(a).n
	par.Ranges(threads, n, tile, func(_, from, to int) {
		for low := from; low < n; low += tile {
			high := min(low+tile, n)
			if low == from || high-low < tile || to-from < tile {
				turn(a.Data, n, low, high, from, to, what)
				continue
			}
			for i := low; i < high; i += 4 {
				for j := from; j < to; j += 4 {
					switch what {
					case lowerUp:
						put4(a.Data, n, j, i, get4(a.Data, n, i, j))
					case upperDown:
						put4(a.Data, n, i, j, get4(a.Data, n, j, i))
					default:
						below := get4(a.Data, n, i, j)
						put4(a.Data, n, i, j, get4(a.Data, n, j, i))
						put4(a.Data, n, j, i, below)
					}
				}
			}
		}
	})
}

// turn does what is below the diagonal of rows low..high and columns from..to.
func turn(a []float64, n, low, high, from, to, what int) {
	for i := low; i < high; i++ {
		for j := from; j < min(to, i); j++ {
			below, above := &a[i*n+j], &a[j*n+i]
			switch what {
			case lowerUp:
				*above = *below
			case upperDown:
				*below = *above
			default:
				*below, *above = *above, *below
			}
		}
	}
}

// square4 is four rows of four elements.
type square4 [4][4]float64

// get4 returns the elements from (i, j) on.
func get4(a []float64, n, i, j int) *square4 {
	return &square4{[4]float64(a[i*n+j:]), [4]float64(a[(i+1)*n+j:]), [4]float64(a[(i+2)*n+j:]), [4]float64(a[(i+3)*n+j:])}
}

// put4 writes the transpose of s to the elements from (i, j) on.
func put4(a []float64, n, i, j int, s *square4) {
	for c := range 4 {
		*(*[4]float64)(a[(i+c)*n+j:]) = [4]float64{s[0][c], s[1][c], s[2][c], s[3][c]}
	}
}
