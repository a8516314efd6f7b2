//go:build !amd64 || noasm

package pairwise

import "unfold/internal/simd"

// Noinline as in dispatch_other.go.

//go:noinline
func pushSpace32At(_ simd.Level, t *spaceSpot32, r *spaceRun32) SpaceForce {
	r.check()
	return pushSpace(t, r)
}

//go:noinline
func logsSpaceAt(_ simd.Level, t *spaceSpot64, r *spaceRun64) float64 {
	r.check()
	return logsSpace(t, r)
}
