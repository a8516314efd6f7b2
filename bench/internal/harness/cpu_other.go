//go:build !unix

package harness

// CPUSeconds is not known here.
func CPUSeconds() float64 { return 0 }
