package fetched

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A folder is filled once, and a failed fill leaves no folder.
func TestFolder(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	broken := errors.New("no registry")
	if _, err := Folder("x-1", func(_ context.Context, dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, "half"), nil, 0o644), broken)
	}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	for range 2 {
		dir, err := Folder("x-1", func(_ context.Context, dir string) error {
			return os.WriteFile(filepath.Join(dir, "whole"), nil, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
		left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", "*"))
		if len(left) != 1 || left[0] != filepath.Join(dir, "whole") {
			t.Errorf("there are %v", left)
		}
	}
}

// The folder is the module's, even after a test changed its directory.
func TestTestdata(t *testing.T) {
	for _, dir := range []string{".", t.TempDir()} {
		t.Chdir(dir)
		if _, err := os.Stat(filepath.Join(Testdata("foreign"), "requirements.txt")); err != nil {
			t.Error(err)
		}
	}
}
