//go:build amd64 && !noasm

package pull

import (
	"testing"

	"unfold/internal/simd/simdtest"
)

// The assembly is what its generator writes today.
func TestGenerated(t *testing.T) { simdtest.Generated(t, "pull") }
