package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/ingest"
	"unfold/internal/testkit/tier"
)

// python creates an environment with the libraries of DREAMS in the user's cache, and returns its
// interpreter.
func python(t *testing.T) string {
	t.Helper()
	tier.Full(t, "it runs Python libraries")
	cache, err := os.UserCacheDir()
	if err != nil {
		tier.Missing(t, "there is no cache for Python libraries: "+err.Error())
	}
	dir := filepath.Join(cache, "unfold", "dreams")
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		tier.Missing(t, "there is no cache for Python libraries: "+err.Error())
	}
	list := bytes.Join(regexp.MustCompile(`(?m)^(numpy|scipy|scikit-learn|openTSNE)==.*$`).FindAll(requirements, -1), []byte("\n"))
	err = harness.Environment(t.Context(), dir, "python3", list, t.Logf, func(ctx context.Context, name string, args ...string) error {
		text, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
		if err != nil {
			t.Logf("%s", text)
		}
		return err
	})
	if err != nil {
		tier.Missing(t, "there is no openTSNE here: "+err.Error())
	}
	return harness.Interpreter(dir)
}

// DREAMS gives the results that its authors describe on a small set, and peers.py makes maps with
// it.
func TestDreams(t *testing.T) {
	interpreter := python(t)
	text, err := exec.CommandContext(t.Context(), interpreter, "-B", "peers_test.py").CombinedOutput()
	if err != nil {
		t.Fatalf("peers_test.py: %v\n%s", err, text)
	}
	b := &bench{out: t.TempDir(), small: true, threads: 1, peers: harness.Peers{Venv: filepath.Dir(filepath.Dir(interpreter))}}
	if err := os.MkdirAll(b.file("results"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := b.environment(t.Context()); err != nil {
		t.Fatal(err)
	}
	j := job{input: input{path: b.file("toy.npy")}, seed: 2}
	if err := writeNPY(j.path, toyTable(dataset{}).x); err != nil {
		t.Fatal(err)
	}
	for _, m := range contest(byDefault) {
		if m.key != dreamsPCA && m.key != dreamsMDS {
			continue
		}
		j.output = b.mapFile("toy", m.key)
		r := newResult()
		if err := b.make(t.Context(), m, j, r); err != nil {
			t.Fatal(err)
		}
		y, err := ingest.ReadMap(t.Context(), j.output, ingest.Options{})
		if err != nil || y.Len() != toyRows || y.Embedding.Cols != 2 || r.Version == "" || r.Figures[whole] <= 0 {
			t.Errorf("%s: %+v, %v", m.title, r, err)
		}
	}
}
