//go:build unix && !solaris && !illumos && !aix

package lock

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a file for this process. The system releases the lock when the file is closed or
// the process ends.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}
