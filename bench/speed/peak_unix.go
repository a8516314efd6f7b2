//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the most resident memory that a process that has ended has had.
func peak(s *os.ProcessState) float64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return float64(u.Maxrss)
	}
	return float64(u.Maxrss) * 1024 // the others count in KiB
}
