//go:build unix

package cli

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// A named pipe gives the same results as a file, in commands that read once and in those that read
// several times.
func TestPipesAreData(t *testing.T) {
	t.Chdir(workspace(t))
	must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "--steps", "5", "-o", "m.unfold")
	data := contentsOf(t, "small.csv")
	for _, c := range []struct {
		verb string
		args []string // arguments after the input
	}{
		{"embed", []string{"-m", "m.unfold", "-o", "out.csv"}},
		{"fit", []string{"--columns", "x,y,z", "--steps", "5", "-o", "n.unfold", "--map", "out.csv"}},
		{"clusters", []string{"--columns", "x,y,z", "--min-size", "5", "-o", "out.csv"}},
		{"update", []string{"-o", "n.unfold", "--points", "out.csv"}},
	} {
		of := func(input string) string {
			inputs := []string{input}
			if c.verb == "update" {
				inputs = []string{"m.unfold", input}
			}
			must(t, append(append([]string{"-q", c.verb}, inputs...), c.args...)...)
			return contentsOf(t, "out.csv")
		}
		want := of("small.csv")
		if err := syscall.Mkfifo("pipe.csv", 0o600); err != nil {
			t.Fatal(err)
		}
		written := make(chan error, 1)
		go func() { written <- os.WriteFile("pipe.csv", []byte(data), 0o600) }()
		if got := of("pipe.csv"); got != want {
			t.Errorf("%s: a pipe gives\n%.300s\nthe file gives\n%.300s", c.verb, got, want)
		}
		if err := <-written; err != nil {
			t.Errorf("%s: %v", c.verb, err)
		}
		if err := os.Remove("pipe.csv"); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo("pipe.csv", 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, said := run(t, "-q", "update", "m.unfold", "pipe.csv", "-o", "n.unfold", "--map", "out.csv")
	if code != exitUsage || !strings.Contains(said, "pipe.csv can be read only once") {
		t.Errorf("exit %d: %s", code, said)
	}
}
