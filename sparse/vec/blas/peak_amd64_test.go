//go:build amd64 && !noasm

package blas

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"unfold/sparse/vec/simd"
)

// The speed of one core that does nothing but fused operations in registers:
// what the other benchmarks are measured against.
func BenchmarkPeak(b *testing.B) {
	const n = 100000
	for _, level := range simd.Levels() {
		kernel, flops := peakAVX512, 2.0*24*8
		switch level {
		case simd.Generic:
			continue
		case simd.AVX2:
			kernel, flops = peakAVX2, 2.0*12*4
		}
		b.Run(level.String(), func(b *testing.B) {
			for b.Loop() {
				kernel(n)
			}
			report(b, flops*n)
		})
	}
}

// The assembly is what its generator writes today.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := t.TempDir()
	s, stubs := filepath.Join(dir, "kernels_amd64.s"), filepath.Join(dir, "stubs_amd64.go")
	cmd := exec.Command("go", "run", "./asm", "-out", s, "-stubs", stubs, "-pkg", "blas")
	cmd.Env = append(os.Environ(), "GOFLAGS=-tags=noasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The first line tells the command, and so the folder.
	rest := func(b []byte) []byte { return b[bytes.IndexByte(b, '\n'):] }
	for _, path := range []string{s, stubs} {
		fresh, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(rest(fresh), rest(kept)) {
			t.Errorf("%s differs from what its generator writes: run go generate", filepath.Base(path))
		}
	}
}
