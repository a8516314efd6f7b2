package simd_test

import (
	"testing"

	"unfold/internal/simd"
)

func TestLevels(t *testing.T) {
	all := simd.Levels()
	if all[0] != simd.Generic || all[len(all)-1] != simd.Best() {
		t.Errorf("levels %v, the best %v: want from generic to the best", all, simd.Best())
	}
	t.Logf("this machine: %v", simd.Best())
}
