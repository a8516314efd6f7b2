//go:build amd64 && !noasm

package climb

import "unfold/internal/simd"

func plane(l simd.Level, fours []four, x, y, half, still float64, steps int) (float64, float64) {
	if l >= simd.AVX2 {
		return planeAVX2(&fours[0].x[0], len(fours), x, y, half, still, steps)
	}
	return planeTwin(fours, x, y, half, still, steps)
}
