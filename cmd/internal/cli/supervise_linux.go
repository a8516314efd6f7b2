package cli

import (
	"os/exec"
	"syscall"
)

// bind makes the child end with this process, even if this process is killed.
func bind(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// endWithParent does nothing here, because bind has set a parent death signal.
func endWithParent() {}
