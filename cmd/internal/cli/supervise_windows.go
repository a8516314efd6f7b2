package cli

import (
	"os"
	"os/exec"
)

// bind: the process watches for itself.
func bind(*exec.Cmd) {}

// endWithParent ends this process when the one that started it has ended.
func endWithParent() {
	parent, err := os.FindProcess(os.Getppid())
	if err != nil {
		os.Exit(exitFailed) // it has ended already
	}
	go func() {
		_, _ = parent.Wait() // any end of it counts
		os.Exit(exitFailed)
	}()
}
