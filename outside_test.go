package unfold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program in another module compiles against this one, without a network, and runs. Everything it
// needs is exported, and no internal package prevents its use.
func TestAProgramOutside(t *testing.T) {
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/outside")); err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) string {
		c := exec.Command("go", args...)
		c.Dir = folder
		// Its go.mod names what it imports; go adds the rest, in this module's versions.
		c.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod")
		var said strings.Builder // go may say there which modules it unpacks
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, said.String())
		}
		return string(out)
	}
	// Its checksums are among those of this module, so that no network is needed.
	sums, err := os.ReadFile("go.sum")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	command("mod", "edit", "-replace", "unfold="+root)
	if got, want := command("run", "."), "200 points in 2 dimensions\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
