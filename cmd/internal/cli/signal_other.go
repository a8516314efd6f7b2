//go:build !unix

package cli

import (
	"os"
)

// asksToEnd is set if interrupt ends a process in order.
const asksToEnd = false

// interrupt kills a process, because this system has no signal to request its end.
func interrupt(p *os.Process) error { return p.Kill() }
