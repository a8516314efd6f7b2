//go:build unix && !solaris && !illumos && !aix

package stage

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a file for this process. The system releases it when the file is
// closed, also by the process' death.
func lockFile(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
