package atomicfile

import (
	"io"
	"os"
)

// Disk has all file operations of this package. OS is the real one; tests use one that fails.
type Disk interface {
	// Create creates a new file. It returns fs.ErrExist if the file exists.
	Create(name string) (Handle, error)
	Rename(from, to string) error
	Remove(name string) error
	// MkdirAll makes a folder and those above it, as os.MkdirAll.
	MkdirAll(name string, perm os.FileMode) error
	// SyncFolder makes renames in a folder durable. It does nothing on file systems that cannot
	// sync a folder.
	SyncFolder(name string) error
}

// Handle is a file that is being written.
type Handle interface {
	io.Writer
	io.Seeker
	io.Closer
	Sync() error
	Name() string
}

// OS is the disk of this machine.
type OS struct {
	// Private makes the file accessible to its owner only (mode 0600).
	Private bool
}

// Create implements Disk.
func (d OS) Create(name string) (Handle, error) {
	perm := os.FileMode(0o666)
	if d.Private {
		perm = 0o600
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err // a nil *os.File would be a Handle that is not nil
	}
	return f, nil
}

// Rename implements Disk.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements Disk.
func (OS) Remove(name string) error { return os.Remove(name) }

// MkdirAll implements Disk.
func (OS) MkdirAll(name string, perm os.FileMode) error { return os.MkdirAll(name, perm) }

// SyncFolder implements Disk.
func (OS) SyncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
