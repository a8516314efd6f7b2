//go:build linux || darwin

package lock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Only one can have a lock. The other one gets the process that has it.
func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, holder, err := Try(path)
	if err != nil || holder != "" {
		t.Fatal(holder, err)
	}
	if _, holder, err := Try(path); !errors.Is(err, ErrHeld) || holder != fmt.Sprintf(" (process %d)", os.Getpid()) {
		t.Errorf("a second one: %q, %v", holder, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, _, err := Try(path)
	if err != nil {
		t.Fatalf("after the first has gone: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Try(filepath.Join(path, "lock")); err == nil || errors.Is(err, ErrHeld) {
		t.Errorf("a file that cannot be made: %v", err)
	}
}
