//go:build !unix

package cli

import "runtime"

// usage returns the process's CPU time, which is not known here, and the memory
// that it has asked the system for.
func usage() (cpuSeconds float64, peakBytes int64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return 0, int64(m.Sys)
}
