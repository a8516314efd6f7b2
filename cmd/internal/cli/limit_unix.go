//go:build linux || darwin

package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"unfold/internal/mapped"
)

// spareSpace is the address space that Go reserves and does not use yet: it takes 64 MiB at a time.
const spareSpace = 64 << 20

// limitMemory makes the system refuse this process more than n bytes. It also sets the garbage
// collector's target well below n.
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
	return mapped.BoundSpace(n + spareSpace)
}

// limitTime makes the system end this process after the given CPU time per processor.
func limitTime(d time.Duration) error {
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_CPU, &limit); err != nil {
		return fmt.Errorf("limiting time: %w", err)
	}
	limit.Cur = min(limit.Max, uint64(d.Seconds())*uint64(runtime.NumCPU()))
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &limit); err != nil {
		return fmt.Errorf("limiting time: %w", err)
	}
	return nil
}
