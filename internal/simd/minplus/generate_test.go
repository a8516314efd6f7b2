//go:build amd64 && !noasm

package minplus

import (
	"testing"

	"unfold/internal/simd/simdtest"
)

// The assembly is what its generator writes today.
func TestGenerated(t *testing.T) { simdtest.Generated(t, "minplus") }
