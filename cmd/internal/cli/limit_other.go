//go:build !linux && !darwin && !windows

package cli

import (
	"fmt"
	"runtime"
	"time"
)

// limitMemory: nothing enforces a limit on this system, and one that is only asked for would not hold.
func limitMemory(n int64) error {
	if n > 0 {
		return fmt.Errorf("--memory and --untrusted are not possible on %s, which bounds no process; leave them out", runtime.GOOS)
	}
	return nil
}

// limitTime: the process that started this one ends it after that time.
func limitTime(time.Duration) error { return nil }
