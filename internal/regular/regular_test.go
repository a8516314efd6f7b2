//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Anything but a regular file is rejected immediately, including a pipe without a writer.
func TestOnlyFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", at("link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range []string{"file", "link"} {
		if text, err := ReadFile(at(name)); err != nil || string(text) != "text" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	var kind *KindError
	for _, path := range []string{at("pipe"), at("socket"), dir, os.DevNull, "/dev/zero"} {
		if _, err := Open(path); !errors.As(err, &kind) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Open(at("none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// The writer that waits for the reader of a named pipe goes on waiting.
func TestPipesAreLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(path, []byte("text"), 0o600) }()
	var kind *KindError
	for range 100 {
		if _, err := Open(path); !errors.As(err, &kind) {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Microsecond) // the writer is there at one of these
	}
	text, err := os.ReadFile(path)
	if err := errors.Join(err, <-written); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}
