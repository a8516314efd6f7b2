//go:build !unix

package cli

import "runtime"

// usage returns the process's CPU time, which is 0 because it is unknown here, and the memory
// requested from the system.
func usage() (cpuSeconds float64, peakBytes int64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return 0, int64(m.Sys)
}
