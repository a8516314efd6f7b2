package ingest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// target is where a writer's bytes go.
type target interface {
	io.Writer
	commit() error
	discard()
}

// atomicFile is a file that gets its name only when it is whole.
type atomicFile struct {
	*os.File
	path string
	buf  *bufio.Writer
}

// createAtomic opens a temporary file beside path, so that the rename stays
// within one file system. It is made as any file is, so that the process's mask
// decides who may read it.
func createAtomic(path string) (*atomicFile, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: cannot be written: it is not a regular file", path)
	}
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be written: %w", path, err)
		}
		return &atomicFile{f, path, bufio.NewWriterSize(f, 1<<18)}, nil
	}
}

func (a *atomicFile) Write(p []byte) (int, error) { return a.buf.Write(p) }

// Seek lets formats go back to their header.
func (a *atomicFile) Seek(offset int64, whence int) (int64, error) {
	if err := a.buf.Flush(); err != nil {
		return 0, err
	}
	return a.File.Seek(offset, whence)
}

func (a *atomicFile) commit() (err error) {
	defer func() {
		if err != nil {
			a.discard()
			err = fmt.Errorf("%s: cannot be written: %w", a.path, err)
		}
	}()
	if err := a.buf.Flush(); err != nil {
		return err
	}
	if err := a.Sync(); err != nil {
		return err
	}
	if err := a.Close(); err != nil {
		return err
	}
	if err := os.Rename(a.Name(), a.path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(a.path))
}

func (a *atomicFile) discard() {
	a.Close()
	os.Remove(a.Name())
}

// syncDir makes a rename last. File systems that cannot sync a directory are
// left alone.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}

// pipe is standard output: there is nothing to rename or to take back.
type pipe struct{ *bufio.Writer }

func (p *pipe) commit() error {
	if err := p.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

func (p *pipe) discard() {}
