//go:build !amd64 || noasm

package minplus

import "unfold/internal/simd"

func takeAt(_ simd.Level, least []float32, more float32, v []float32) { takeTwin(least, more, v) }
