package spd

import (
	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/turn"
)

// squareSide is that of the squares that are turned one after the other.
const squareSide = 32

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
	par.Ranges(threads, n, squareSide, func(_, from, to int) {
		for low := from; low < n; low += squareSide {
			high := min(low+squareSide, n)
			if low == from || high-low < squareSide || to-from < squareSide {
				elements(a.Data, n, low, high, from, to, what)
				continue
			}
			for i := low; i < high; i += turn.Side {
				for j := from; j < to; j += turn.Side {
					below, above := a.Data[i*n+j:], a.Data[j*n+i:]
					switch what {
					case lowerUp:
						turn.Square(above, n, below, n)
					case upperDown:
						turn.Square(below, n, above, n)
					default:
						var kept [turn.Side * turn.Side]float64
						turn.Square(kept[:], turn.Side, below, n)
						turn.Square(below, n, above, n)
						for r := range turn.Side {
							copy(above[r*n:][:turn.Side], kept[r*turn.Side:])
						}
					}
				}
			}
		}
	})
}

// elements does what is below the diagonal of rows low..high and columns from..to.
func elements(a []float64, n, low, high, from, to, what int) {
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
