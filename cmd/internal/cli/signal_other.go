//go:build !unix

package cli

import (
	"os"
)

// asksToEnd says that interrupt lets a process end in order.
const asksToEnd = false

// interrupt ends a process; there is no signal that asks for it.
func interrupt(p *os.Process) error { return p.Kill() }
