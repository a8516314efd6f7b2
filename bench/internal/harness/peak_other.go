//go:build !unix

package harness

import "os"

// Peak is unknown on this system.
func Peak(*os.ProcessState) float64 { return 0 }
