//go:build unix

package stage

import (
	"os/exec"
	"syscall"
)

// endGroup makes cancelling a command also end its children, because killing a shell leaves them
// running.
func endGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}
