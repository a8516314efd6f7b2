package journal

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// write makes a journal of records and returns its path.
func write(t *testing.T, records ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "j")
	j, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := j.Append([]byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the records of a journal, and the open journal after them.
func read(t *testing.T, path string) (*Journal, []string) {
	t.Helper()
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	var out []string
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			return j, out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(r))
	}
}

func equal(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("records %q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("records %q, want %q", got, want)
		}
	}
}

// A journal that was cut at any byte has the records before the cut, and goes on after them.
func TestCutAnywhere(t *testing.T) {
	records := []string{"one", "", "a longer record"}
	path := write(t, records...)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{0, 11, 19, 42}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		n := 0
		for n < len(records) && ends[n+1] <= cut {
			n++
		}
		j, got := read(t, path)
		equal(t, got, records[:n]...)
		if err := j.Append([]byte("next")); err != nil {
			t.Fatal(err)
		}
		_, got = read(t, path)
		equal(t, got, append(records[:n:n], "next")...)
	}
}

// A damaged record ends the journal: neither it nor the ones after it are returned.
func TestDamaged(t *testing.T) {
	path := write(t, "one", "two", "three")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.Index(b, []byte("two"))] ^= 1
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	_, got := read(t, path)
	equal(t, got, "one")
}

// Appending before the records were read would overwrite them.
func TestAppendTooEarly(t *testing.T) {
	path := write(t, "one")
	j, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Append([]byte("two")); err == nil {
		t.Fatal("a record was written over another")
	}
	_, got := read(t, path)
	equal(t, got, "one")
}
