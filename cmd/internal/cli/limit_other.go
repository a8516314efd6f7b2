//go:build !linux && !darwin

package cli

import (
	"runtime/debug"
	"time"
)

// limitMemory makes the collector try to stay below so much memory; on this system
// nothing enforces it.
func limitMemory(n int64) error {
	if n > 0 {
		debug.SetMemoryLimit(n)
	}
	return nil
}

// limitTime: the process that started this one ends it after that time.
func limitTime(time.Duration) error { return nil }
