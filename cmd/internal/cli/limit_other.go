//go:build !linux && !darwin && !windows

package cli

import (
	"fmt"
	"runtime"
	"time"
)

// limitMemory returns an error for any limit, because this system cannot enforce one.
func limitMemory(n int64) error {
	if n > 0 {
		return fmt.Errorf("--memory and --untrusted are not possible on %s, which bounds no process; leave them out", runtime.GOOS)
	}
	return nil
}

// limitTime does nothing here: the parent process ends this one after that time.
func limitTime(time.Duration) error { return nil }
