//go:build !unix

package harness

// CPUSeconds is unknown on this system.
func CPUSeconds() float64 { return 0 }
