package minplus

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/minplus -out ../simd/minplus/kernels_amd64.s -stubs ../simd/minplus/stubs_amd64.go -pkg minplus

import "unfold/internal/simd"

// Take sets every element of least to the minimum of itself and more + v, for slices of equal
// length.
func Take(least []float32, more float32, v []float32) {
	takeAt(simd.Best(), least, more, v[:len(least)])
}

// takeTwin is Take in plain Go.
func takeTwin(least []float32, more float32, v []float32) {
	v = v[:len(least)]
	for j, w := range v {
		if sum := more + w; sum < least[j] {
			least[j] = sum
		}
	}
}
