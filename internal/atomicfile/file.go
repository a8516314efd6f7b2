package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// File is a file being written. Writes are buffered. It is not safe for concurrent use.
type File struct {
	disk Disk
	file Handle
	path string
	buf  *bufio.Writer
	done bool
}

// Create starts a file that Commit will rename to path, replacing an existing file. The process's
// umask determines its permissions. Errors here and in Commit name path and the reason.
func Create(path string) (*File, error) { return CreateOn(OS{}, path) }

// CreateOn is Create on another disk.
func CreateOn(disk Disk, path string) (*File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, unwritable(path, errors.New("it is not a regular file"))
	}
	for {
		// The temporary file lies in the same folder, so that the rename stays
		// within one file system.
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%s%08x.tmp", filepath.Base(path), own, rand.Uint32()))
		f, err := disk.Create(name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, unwritable(path, err)
		}
		return &File{disk: disk, file: f, path: path, buf: bufio.NewWriterSize(f, 1<<18)}, nil
	}
}

// Write appends to the file, through a buffer.
func (f *File) Write(p []byte) (int, error) { return f.buf.Write(p) }

// Seek sets the position, for formats that rewrite their header.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	if err := f.buf.Flush(); err != nil {
		return 0, err
	}
	return f.file.Seek(offset, whence)
}

// Commit flushes the file to the disk and renames it to its final name. After an error the file is
// discarded.
func (f *File) Commit() error {
	if f.done {
		return unwritable(f.path, fs.ErrClosed)
	}
	err := f.buf.Flush()
	if err == nil {
		err = f.file.Sync()
	}
	if err == nil {
		err = f.file.Close()
	}
	if err == nil {
		err = f.disk.Rename(f.file.Name(), f.path)
	}
	if err != nil {
		f.Discard()
		return unwritable(f.path, err)
	}
	f.done = true
	if err := f.disk.SyncFolder(filepath.Dir(f.path)); err != nil {
		return unwritable(f.path, err)
	}
	return nil
}

// Discard removes the file, unless it was committed.
func (f *File) Discard() {
	if f.done {
		return
	}
	f.done = true
	f.file.Close()
	_ = f.disk.Remove(f.file.Name())
}

// Write writes a file atomically with the given function.
func Write(path string, write func(io.Writer) error) error { return WriteOn(OS{}, path, write) }

// WriteOn is Write on another disk.
func WriteOn(disk Disk, path string, write func(io.Writer) error) error {
	f, err := CreateOn(disk, path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// Check reports early whether Create would fail, by creating and discarding a file.
func Check(path string) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	f.Discard()
	return nil
}

// own is part of the temporary names of this process alone. A process id does not suffice, since
// containers that share a folder may have the same.
var own = fmt.Sprintf("%08x", rand.Uint32())

// Owner identifies the temporary files of this process, for a later process that sweeps them.
func Owner() string { return own }

// SweepOwn removes the temporary files of this process next to path, or in the folder path, so that a process can end at
// once in the middle of it. Files of other processes stay. What cannot be removed stays.
func SweepOwn(path string) { SweepOf(own, path) }

// SweepOf is SweepOwn for another process, which must have ended.
func SweepOf(owner, path string) {
	for _, folder := range []string{filepath.Dir(path), path} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // no folder, or none that can be read: nothing is being written there
		}
		for _, e := range entries {
			name, temporary := strings.CutSuffix(e.Name(), ".tmp")
			if temporary && strings.HasPrefix(name, ".") && len(name) > 16 && name[len(name)-16:len(name)-8] == owner {
				_ = os.Remove(filepath.Join(folder, e.Name()))
			}
		}
	}
}

func unwritable(path string, err error) error {
	// The error's path is the temporary name, which would confuse; path replaces it.
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be written: there is no folder %s", path, filepath.Dir(path))
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}
