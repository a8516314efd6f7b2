//go:build !unix

package stage

import "os/exec"

// endGroup does nothing on systems without process groups: only the command itself is ended.
func endGroup(*exec.Cmd) {}
