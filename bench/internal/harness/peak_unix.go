//go:build unix

package harness

import (
	"os"
	"runtime"
	"syscall"
)

// Peak returns the peak resident memory of a process that has ended, in bytes.
func Peak(s *os.ProcessState) float64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return float64(u.Maxrss)
	}
	return float64(u.Maxrss) * 1024 // other systems count in KiB
}
