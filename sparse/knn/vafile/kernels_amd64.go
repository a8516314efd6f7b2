//go:build amd64 && !noasm

package vafile

import "unfold/internal/simd"

// compare runs the kernel of the level.
func compare(level simd.Level, dst, least []int32, q *[Dims]int8, data []uint8, norm []int32) {
	blocks := len(least)
	_, _, _ = dst[blocks*Width-1], data[blocks*Width*Dims-1], norm[blocks*Width-1]
	switch {
	case level >= simd.AVX512:
		compareAVX512(&dst[0], &least[0], &q[0], &data[0], &norm[0], blocks)
	case level >= simd.AVX2:
		compareAVX2(&dst[0], &least[0], &q[0], &data[0], &norm[0], blocks)
	default:
		compareGeneric(dst, least, q, data, norm)
	}
}

func pass(level simd.Level, mask []uint64, value []int32, limit int32) {
	_ = value[len(mask)*Width-1]
	switch {
	case level >= simd.AVX512:
		passAVX512(&mask[0], &value[0], limit, len(mask))
	case level >= simd.AVX2:
		passAVX2(&mask[0], &value[0], limit, len(mask))
	default:
		passGeneric(mask, value, limit)
	}
}

func gather(level simd.Level, dst, rows []int32, q *[WideDims]int8, data []uint8, norm []int32) {
	_ = dst[len(rows)-1]
	switch {
	case level >= simd.AVX512:
		gatherAVX512(&dst[0], &rows[0], &q[0], &data[0], &norm[0], len(rows))
	case level >= simd.AVX2:
		gatherAVX2(&dst[0], &rows[0], &q[0], &data[0], &norm[0], len(rows))
	default:
		gatherGeneric(dst, rows, q, data, norm)
	}
}
