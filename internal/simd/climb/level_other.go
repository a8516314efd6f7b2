//go:build !amd64 || noasm

package climb

import "unfold/internal/simd"

func plane(_ simd.Level, fours []four, x, y, half, still float64, steps int) (float64, float64) {
	return planeTwin(fours, x, y, half, still, steps)
}
