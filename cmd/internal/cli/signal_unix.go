//go:build unix

package cli

import (
	"os"
	"syscall"
)

// interrupt asks a process to end in order.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
