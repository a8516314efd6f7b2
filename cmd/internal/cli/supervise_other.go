//go:build !linux

package cli

import (
	"os"
	"os/exec"
	"time"
)

// bind: the process watches for itself.
func bind(*exec.Cmd) {}

// endWithParent ends this process when the one that started it has ended: another one is its parent
// then. Windows keeps the number, and the process ends when it writes to a closed pipe.
func endWithParent() {
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		os.Exit(exitFailed)
	}()
}
