package stage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// lockName is the file in a state folder that a running stage keeps locked. The file is never
// removed, because only the lock matters.
const lockName = "lock"

// errLocked means that another process has the lock.
var errLocked = errors.New("locked")

// lockState locks a folder for this process until the result is closed or the process ends. Two
// stages on one folder would overwrite each other's maps.
func lockState(folder string) (io.Closer, error) {
	f, holder, err := tryLock(folder)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("the state folder %s is in use by another stage%s: stop it, or give this one a folder of its own", folder, process(holder))
	}
	return f, err
}

// tryLock is lockState. If another process has the lock, it returns errLocked and that process's id
// as holder.
func tryLock(folder string) (lock io.Closer, holder string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, "", fmt.Errorf("the state folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, "", fmt.Errorf("the state folder: %w", err)
	}
	if err := lockFile(f); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 64))
		f.Close()
		return nil, string(holder), fmt.Errorf("the state folder: locking %s: %w", f.Name(), err)
	}
	// The id only helps to find the process, so errors of writing it are ignored.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(fmt.Appendln(nil, os.Getpid()), 0)
	}
	return f, "", nil
}

func process(holder string) string {
	if holder = strings.TrimSpace(holder); holder == "" {
		return ""
	}
	return " (process " + holder + ")"
}
