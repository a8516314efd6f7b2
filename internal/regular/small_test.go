//go:build unix

package regular

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A configuration may come through a pipe. One that never comes, or never ends, is an error.
func TestSmallFiles(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadSmall(file); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	go func() {
		if err := os.WriteFile(pipe, []byte("through"), 0); err != nil {
			t.Error(err)
		}
	}()
	if text, err := ReadSmall(pipe); string(text) != "through" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := readSmall(pipe, time.Millisecond); err == nil || !strings.Contains(err.Error(), "nothing came") {
		t.Errorf("a pipe without a writer: %v", err)
	}
	if _, err := ReadSmall("/dev/zero"); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("a device without an end: %v", err)
	}
	if _, err := ReadSmall(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("none: %v", err)
	}
	// The reader of the pipe without a writer still waits.
	f, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
