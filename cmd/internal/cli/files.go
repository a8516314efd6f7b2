package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file as a whole or not at all: under a temporary name beside
// its own, synced, then renamed. "-" writes to standard output.
func writeFile(path string, stdout io.Writer, write func(io.Writer) error) (err error) {
	if path == "-" {
		b := bufio.NewWriter(stdout)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return unwritable(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	b := bufio.NewWriterSize(f, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	if err := errors.Join(b.Flush(), f.Sync(), f.Chmod(0o644), f.Close()); err != nil {
		return unwritable(path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// checkWritable says early, before hours of work, that an output could not be
// written at its end.
func checkWritable(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return usagef("%s is a directory; name a file", path)
		}
		f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
		if err != nil {
			return unwritable(path, err)
		}
		f.Close()
		if err := os.Remove(f.Name()); err != nil {
			return err
		}
	}
	return nil
}

func unwritable(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s cannot be written: there is no folder %s", path, filepath.Dir(path))
	}
	return fmt.Errorf("%s cannot be written: %w", path, err)
}
