package stage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// lockName is the file in a state folder that a running stage holds locked. It is
// left there: who has the lock counts, not whether the file is there.
const lockName = "lock"

// errLocked: another process has the lock.
var errLocked = errors.New("locked")

// lockState makes a folder this process' own until it closes what is returned, or
// dies. Two stages on one folder would overwrite each other's maps.
func lockState(folder string) (io.Closer, error) {
	f, holder, err := tryLock(folder)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("the state folder %s is in use by another stage%s: stop it, or give this one a folder of its own", folder, process(holder))
	}
	return f, err
}

// tryLock is lockState; errLocked says that another process has the folder, and holder who.
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
	// Who it is helps to find it; that it cannot be written does no harm.
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
