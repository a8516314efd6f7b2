//go:build !unix

package cli

import (
	"os"
)

// interrupt ends a process; there is no signal that asks for it.
func interrupt(p *os.Process) error { return p.Kill() }
