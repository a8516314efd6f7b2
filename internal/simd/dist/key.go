package dist

import "math"

// Key holds a squared distance and a row in one number: keys are ordered by
// distance, whose bits are in the order of the values as none is negative, then by
// row. The lowest bit is 0 and free for the caller.
func Key(d float32, row int32) uint64 {
	return uint64(math.Float32bits(d))<<32 | uint64(uint32(row)<<1)
}

// RowOf returns the row of a key.
func RowOf(key uint64) int32 { return int32(uint32(key) >> 1) }

// DistanceOf returns the squared distance of a key.
func DistanceOf(key uint64) float32 { return math.Float32frombits(uint32(key >> 32)) }

// Divide moves the m smallest keys, which are distinct, to the front (Hoare's
// selection, with the median of three as pivot).
func Divide(keys []uint64, m int) {
	from, to := 0, len(keys)
	for to-from > 1 {
		pivot := median(keys[from], keys[(from+to)/2], keys[to-1])
		i, j := from, to-1
		for {
			for keys[i] < pivot {
				i++
			}
			for keys[j] > pivot {
				j--
			}
			if i >= j {
				break
			}
			keys[i], keys[j] = keys[j], keys[i]
			i++
			j--
		}
		// Now keys[from:i] <= pivot <= keys[i:to], and i is inside.
		switch {
		case m < i:
			to = i
		case m > i:
			from = i
		default:
			return
		}
	}
}

func median(a, b, c uint64) uint64 {
	return max(min(a, b), min(max(a, b), c))
}
