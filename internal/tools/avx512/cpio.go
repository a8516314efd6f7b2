package main

import (
	"fmt"
	"io"
	"path"
)

// archive writes a cpio archive in the format "newc", which Linux uses as its initial file system.
type archive struct {
	w     io.Writer
	n     int // bytes written
	inode int
	dirs  map[string]bool
	err   error
}

func newArchive(w io.Writer) *archive { return &archive{w: w, dirs: map[string]bool{".": true}} }

// file adds an executable file and its parent folders. The name is a path without a leading slash.
func (a *archive) file(name string, data []byte) {
	a.folder(path.Dir(name))
	a.entry(name, 0o100755, data)
}

// folder adds a folder and those above it, each once.
func (a *archive) folder(name string) {
	if a.dirs[name] {
		return
	}
	a.folder(path.Dir(name))
	a.dirs[name] = true
	a.entry(name, 0o040755, nil)
}

// close ends the archive.
func (a *archive) close() error {
	a.entry("TRAILER!!!", 0, nil)
	return a.err
}

func (a *archive) entry(name string, mode int, data []byte) {
	a.inode++
	// inode, mode, uid, gid, links, mtime, size, device (2), device of special files (2), length of the name with its NUL, checksum.
	a.write(fmt.Appendf(nil, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00",
		a.inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name)+1, 0, name))
	a.write(make([]byte, -a.n&3))
	a.write(data)
	a.write(make([]byte, -a.n&3))
}

func (a *archive) write(b []byte) {
	if a.err != nil {
		return
	}
	var n int
	n, a.err = a.w.Write(b)
	a.n += n
}
