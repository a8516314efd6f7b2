//go:build unix

package cli

import (
	"os"
	"syscall"
)

// asksToEnd is set if interrupt lets a process end in order.
const asksToEnd = true

// interrupt asks a process to end in order.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
