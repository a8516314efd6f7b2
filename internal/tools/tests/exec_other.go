//go:build !unix

package main

import (
	"fmt"
	"os"
	"os/exec"
)

// execute runs a test binary and returns its exit code. The cost is not measured on this system.
func execute(args []string) int {
	dir, remove, err := scratch()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	defer remove()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "TMP="+dir, "TEMP="+dir)
	if err := cmd.Run(); err != nil {
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}

func stoppable(*exec.Cmd) {}
