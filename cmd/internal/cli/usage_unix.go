//go:build unix

package cli

import (
	"os"
	"runtime"
	"syscall"

	"unfold/internal/procfs"
)

// usage returns the process's CPU time so far and its peak memory in bytes.
func usage() (cpuSeconds float64, peakBytes int64) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	// On Linux the peak of getrusage includes that of the process that started this one, such as a
	// Python process with its data.
	peakBytes, err := procfs.Memory(os.Getpid(), "VmHWM")
	if err != nil {
		peakBytes = int64(u.Maxrss)
		if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
			peakBytes *= 1024 // other systems count in KiB
		}
	}
	return seconds(u.Utime) + seconds(u.Stime), peakBytes
}
