//go:build unix

package stage

import (
	"os/exec"
	"syscall"
)

// endGroup makes that who cancels a command also ends what it has started: a shell that is
// killed leaves its children running.
func endGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
