// Package lock locks files, so that two processes do not write to one folder.
package lock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrHeld means that another process has the lock.
var ErrHeld = errors.New("locked")

// Try locks a file, which it creates if needed, until the result is closed or the process ends. The
// file is never removed, because only the lock matters. If another process has the lock, it returns
// ErrHeld, and holder describes that process, as " (process 12)". On systems without locks that end
// with their process it always succeeds.
func Try(path string) (held io.Closer, holder string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, "", err
	}
	if err := lockFile(f); err != nil {
		id, _ := io.ReadAll(io.LimitReader(f, 64))
		f.Close()
		return nil, process(string(id)), fmt.Errorf("locking %s: %w", path, err)
	}
	// The id only helps to find the process, so errors of writing it are ignored.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	}
	return f, "", nil
}

func process(id string) string {
	if id = strings.TrimSpace(id); id == "" {
		return ""
	}
	return " (process " + id + ")"
}
