package modeltest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"
)

// Dir returns the folder of fixtures: UNFOLD_FIXTURES, or the repository's own
// testdata/fixtures.
func Dir() string {
	if d := os.Getenv("UNFOLD_FIXTURES"); d != "" {
		return d
	}
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "testdata", "fixtures")
}

// Each decodes every JSON file of the folder's subject into a new T and runs
// f on it as a subtest named after the file. It fails if there is no file.
func Each[T any](t *testing.T, subject string, f func(t *testing.T, fixture *T)) {
	t.Helper()
	dir := filepath.Join(Dir(), subject)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no fixtures (*.json) in %s; set UNFOLD_FIXTURES to a folder that holds %s/", dir, subject)
	}
	sort.Strings(files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fixture := new(T)
			if err := json.Unmarshal(raw, fixture); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			f(t, fixture)
		})
	}
	t.Logf("ran %d fixtures of %s", len(files), dir)
}

// EachSaul runs f on every fixture of the latent variable model (Saul 2020).
func EachSaul(t *testing.T, f func(t *testing.T, s *Saul)) {
	t.Helper()
	Each(t, "saul", f)
}
