package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// content returns the files in the folder of path, name -> bytes.
func content(t *testing.T, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

func TestOldOrNewAndNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("?ew")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got["a"] != "old" || len(got) != 2 {
		t.Errorf("under way the folder holds %v", got)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("n")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Discard() // has no effect any more
	if got := content(t, path); got["a"] != "new" || len(got) != 1 {
		t.Errorf("committed, the folder holds %v", got)
	}
	if err := f.Commit(); err == nil {
		t.Error("a second commit says nothing")
	}
}

func TestFailureLeavesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want the writer's", err)
	}
	if got := content(t, path); len(got) != 0 {
		t.Errorf("%d files are left", len(got))
	}
}

func TestRenameFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil { // the name is taken meanwhile
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), path+" cannot be written") {
		t.Errorf("error %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries are left (%v)", len(entries), err)
	}
}

func TestErrorsSayWhy(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                               "it is not a regular file",
		filepath.Join(dir, "none", "a"):   "there is no folder " + filepath.Join(dir, "none"),
		filepath.Join(dir, "a\x00b", "c"): "cannot be written",
	} {
		err := Check(path)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ".tmp") {
			t.Errorf("%q: error %v, want %q", path, err, want)
		}
	}
	if err := Check(filepath.Join(dir, "fine")); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("Check leaves %d entries", len(entries))
	}
}

// The process's own temporary files are removed, next to a path and in a folder; files of others stay.
func TestSweepOwn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, name := range []string{path, filepath.Join(dir, "b")} {
		if _, err := Create(name); err != nil { // and is not waited for
			t.Fatal(err)
		}
	}
	for _, name := range []string{".a.0123456789abcdef.tmp", ".tmp", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	SweepOwn(filepath.Join(dir, "absent", "a"))
	if got := content(t, path); len(got) != 5 {
		t.Errorf("another folder's sweep leaves %v", got)
	}
	SweepOwn(path)
	if got := content(t, path); len(got) != 3 {
		t.Errorf("left are %v", got)
	}
	if _, err := Create(path); err != nil {
		t.Fatal(err)
	}
	SweepOwn(dir)
	if got := content(t, path); len(got) != 3 {
		t.Errorf("left in the folder are %v", got)
	}
}
