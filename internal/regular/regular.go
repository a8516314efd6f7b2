// Package regular opens files that must be regular, such as models and state. Opening a named pipe
// could wait forever for another program, and reading a device may never end.
package regular

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// KindError reports that a path is not a regular file.
type KindError struct {
	Path string
	Mode fs.FileMode
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%s is %s, not a file: copy its content to a file first", e.Path, kind(e.Mode))
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// Open opens a regular file for reading, and returns a *KindError for anything else. It never waits. A
// named pipe is not even opened: its writer would take the program for a reader that leaves.
func Open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &KindError{path, info.Mode()}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|atOnce, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // of what was opened: the path may lead elsewhere since
	if err == nil && !info.Mode().IsRegular() {
		err = &KindError{path, info.Mode()}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a regular file whole.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
