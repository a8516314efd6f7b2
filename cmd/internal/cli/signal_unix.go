//go:build unix

package cli

import (
	"os"
	"syscall"
)

// asksToEnd is set if interrupt ends a process in order.
const asksToEnd = true

// interrupt asks a process to end in order.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
