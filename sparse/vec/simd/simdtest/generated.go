package simdtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Generated checks that the assembly of the package under test, kernels_amd64.s
// and stubs_amd64.go, is what its generator ./asm writes today.
func Generated(t *testing.T, pkg string) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := t.TempDir()
	names := []string{"kernels_amd64.s", "stubs_amd64.go"}
	run := exec.Command("go", "run", "./asm", "-out", filepath.Join(dir, names[0]), "-stubs", filepath.Join(dir, names[1]), "-pkg", pkg)
	// The generator reads the package, which need not have its assembly yet.
	run.Env = append(os.Environ(), "GOFLAGS=-tags=noasm")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The first line tells the command, and so the folder.
	rest := func(b []byte) []byte { return b[bytes.IndexByte(b, '\n')+1:] }
	for _, name := range names {
		fresh, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(rest(fresh), rest(kept)) {
			t.Errorf("%s differs from what its generator writes: run go generate", name)
		}
	}
}
