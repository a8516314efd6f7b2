//go:build !amd64 || noasm

package solve

import "unfold/internal/simd"

func (f *Factor) forwardLevel(_ simd.Level, y []float64) { f.forwardGeneric(y) }

func (f *Factor) backwardLevel(_ simd.Level, z0, z1, y []float64) { f.backwardGeneric(z0, z1, y) }
