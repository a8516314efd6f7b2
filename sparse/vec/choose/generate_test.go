//go:build amd64 && !noasm

package choose

import (
	"testing"

	"unfold/sparse/vec/simd/simdtest"
)

// The assembly is what its generator writes today.
func TestGenerated(t *testing.T) { simdtest.Generated(t, "choose") }
