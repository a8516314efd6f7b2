//go:build amd64 && !noasm

package climb

import (
	"testing"

	"unfold/internal/simd/simdtest"
)

// The committed assembly equals the output of its generator.
func TestGenerated(t *testing.T) { simdtest.Generated(t, "climb") }
