//go:build amd64 && !noasm

package approx

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The assembly is what its generator writes today.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := t.TempDir()
	s, stubs := filepath.Join(dir, "kernels_amd64.s"), filepath.Join(dir, "stubs_amd64.go")
	if out, err := exec.Command("go", "run", "./asm", "-out", s, "-stubs", stubs, "-pkg", "approx").CombinedOutput(); err != nil {
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
