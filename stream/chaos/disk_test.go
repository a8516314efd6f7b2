//go:build linux

package chaos

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// disk is a small file system that contains a state folder.
type disk struct{ root string }

// newDisk mounts a file system. It skips the test where mounts are not allowed.
func newDisk(t *testing.T, root string) *disk {
	t.Helper()
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("none", root, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("a file system of its own cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(root, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return &disk{root}
}

// state returns the state folder.
func (d *disk) state() string { return filepath.Join(d.root, "state") }

// spoil breaks the file system and returns a function that repairs it.
func (d *disk) spoil(t *testing.T, f Fault) (mend func()) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	switch f {
	case DiskFull:
		filler := filepath.Join(d.root, "filler")
		file, err := os.Create(filler)
		must(err)
		if _, err := io.Copy(file, zeros{}); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("the disk is not full: %v", err)
		}
		must(file.Close())
		return func() { must(os.Remove(filler)) }
	case ReadOnly:
		// The folder is bind-mounted onto itself. Unlike the file system, it can be made read-only
		// while the stage has a file open there.
		must(os.MkdirAll(d.state(), 0o700))
		must(syscall.Mount(d.state(), d.state(), "", syscall.MS_BIND, ""))
		must(syscall.Mount("", d.state(), "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""))
		return func() { must(syscall.Unmount(d.state(), syscall.MNT_DETACH)) }
	}
	elsewhere := filepath.Join(d.root, "elsewhere")
	err := os.Rename(d.state(), elsewhere)
	if errors.Is(err, os.ErrNotExist) {
		return func() {} // nothing was written yet
	}
	must(err)
	must(os.WriteFile(d.state(), nil, 0o600)) // so that no new folder can be created in its place
	return func() {
		must(os.Remove(d.state()))
		must(os.Rename(elsewhere, d.state()))
	}
}

// zeros is an endless reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
