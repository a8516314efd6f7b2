package cli

import (
	"os/exec"
	"syscall"
)

// bind ends a process with the one that starts it, however that ends.
func bind(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// endWithParent: the system sees to it.
func endWithParent() {}
