package cli

import (
	"os"
	"os/exec"
)

// bind does nothing here; the child calls endWithParent.
func bind(*exec.Cmd) {}

// endWithParent ends this process after its parent has ended.
func endWithParent() {
	parent, err := os.FindProcess(os.Getppid())
	if err != nil {
		os.Exit(exitFailed) // the parent has ended already
	}
	go func() {
		_, _ = parent.Wait() // the exit code does not matter
		os.Exit(exitFailed)
	}()
}
