//go:build linux || darwin

package stage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only one stage can use a state folder. The error of a second one names the process that uses it.
func TestStateFolderIsLocked(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "state")
	first, err := lockState(folder)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lockState(folder)
	if err == nil || !strings.Contains(err.Error(), folder) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("a second stage: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := lockState(folder)
	if err != nil {
		t.Fatalf("after the first has gone: %v", err)
	}
	defer second.Close()
	for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, lockName): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
	}
	if _, err := lockState("/dev/null/state"); err == nil {
		t.Error("a folder that cannot be made is locked")
	}
}
