package dist

import "math"

// Key packs a squared distance and a row into one number. Keys are ordered by distance, since the
// bits of non-negative values are ordered like the values, and then by row. The lowest bit is 0 and
// free for the caller.
func Key(d float32, row int32) uint64 {
	return uint64(math.Float32bits(d))<<32 | uint64(uint32(row)<<1)
}

// RowOf returns the row of a key.
func RowOf(key uint64) int32 { return int32(uint32(key) >> 1) }

// DistanceOf returns the squared distance of a key.
func DistanceOf(key uint64) float32 { return math.Float32frombits(uint32(key >> 32)) }
