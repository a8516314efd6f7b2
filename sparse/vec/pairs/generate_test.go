package pairs

import (
	"testing"

	"unfold/sparse/vec/simd/simdtest"
)

func TestGenerated(t *testing.T) { simdtest.Generated(t, "pairs") }
