package stage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"unfold/internal/lock"
)

// lockName is the file in a state folder that a running stage keeps locked. The file is never
// removed, because only the lock matters.
const lockName = "lock"

// lockState locks a folder for this process until the result is closed or the process ends. Two
// stages on one folder would overwrite each other's maps.
func lockState(folder string) (io.Closer, error) {
	f, holder, err := tryLock(folder)
	if errors.Is(err, lock.ErrHeld) {
		return nil, fmt.Errorf("the state folder %s is in use by another stage%s: stop it, or give this one a folder of its own", folder, holder)
	}
	return f, err
}

// tryLock is lockState. If another process has the lock, it returns lock.ErrHeld, and holder describes
// that process.
func tryLock(folder string) (held io.Closer, holder string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, "", fmt.Errorf("the state folder: %w", err)
	}
	if held, holder, err = lock.Try(filepath.Join(folder, lockName)); err != nil {
		return nil, holder, fmt.Errorf("the state folder: %w", err)
	}
	return held, "", nil
}
