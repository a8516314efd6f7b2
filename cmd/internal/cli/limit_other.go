//go:build !linux && !darwin

package cli

import "runtime/debug"

// limitMemory makes the collector try to stay below so much memory; on this system
// nothing enforces it.
func limitMemory(n int64) error {
	if n > 0 {
		debug.SetMemoryLimit(n)
	}
	return nil
}
