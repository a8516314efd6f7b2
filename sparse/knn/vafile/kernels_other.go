//go:build !amd64 || noasm

package vafile

import "unfold/internal/simd"

func compare(_ simd.Level, dst, least []int32, q *[Dims]int8, data []uint8, norm []int32) {
	compareGeneric(dst, least, q, data, norm)
}

func pass(_ simd.Level, mask []uint64, value []int32, limit int32) { passGeneric(mask, value, limit) }

func gather(_ simd.Level, dst, rows []int32, q *[WideDims]int8, data []uint8, norm []int32) {
	gatherGeneric(dst, rows, q, data, norm)
}
