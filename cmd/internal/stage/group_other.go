//go:build !unix

package stage

import "os/exec"

// endGroup does nothing where processes have no groups: the command alone is ended.
func endGroup(*exec.Cmd) {}
