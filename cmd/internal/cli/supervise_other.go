//go:build !linux && !windows

package cli

import (
	"os"
	"os/exec"
	"time"
)

// bind: the process watches for itself.
func bind(*exec.Cmd) {}

// endWithParent ends this process when the one that started it has ended: another one is its parent
// then.
func endWithParent() {
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		os.Exit(exitFailed)
	}()
}
