package simd

import (
	"os"
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	all := Levels()
	if all[0] != Generic || all[len(all)-1] != Best() {
		t.Errorf("levels %v, the best %v: want from generic to the best", all, Best())
	}
	if err := Choice(); err != nil {
		t.Error(err)
	}
	t.Logf("this machine: %v, in use: %v", detected, Best())
	if value := os.Getenv(Variable); value != "" && choices[value] != Best() {
		t.Errorf("%s=%s, and %v is in use", Variable, value, Best())
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		have  Level
		value string
		want  Level
		err   string
	}{
		{AVX512, "", AVX512, ""},
		{AVX512, "avx512", AVX512, ""},
		{AVX512, "AVX2", AVX2, ""},
		{AVX512, "plain", Generic, ""},
		{AVX2, "sse", Generic, ""},
		{NEON, "neon", NEON, ""},
		{NEON, "plain", Generic, ""},
		{Generic, "plain", Generic, ""},
		{AVX2, "avx512", AVX2, "not available on this processor or in this build: use avx2 or plain"},
		{NEON, "avx2", NEON, "use neon or plain"},
		{AVX512, "neon", AVX512, "use avx512 or avx2 or plain"},
		{AVX512, "mmx", AVX512, "UNFOLD_CPU=mmx names no set of vector instructions"},
	} {
		got, err := choose(c.have, c.value)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q on %v: %v, %v; want %v, %q", c.value, c.have, got, err, c.want, c.err)
		}
	}
}
