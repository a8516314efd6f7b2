//go:build linux || darwin

package cli

import (
	"fmt"
	"runtime/debug"
	"syscall"
)

// limitMemory makes the system refuse this process more than so much memory; the
// collector tries to keep it well below.
func limitMemory(n int64) error {
	if n <= 0 {
		return nil
	}
	debug.SetMemoryLimit(n / 4 * 3)
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	limit.Cur = min(limit.Max, uint64(n))
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return fmt.Errorf("limiting memory: %w", err)
	}
	return nil
}
