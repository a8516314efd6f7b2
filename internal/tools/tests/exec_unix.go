//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// execute runs a test binary and returns its exit code. When it ends, or when this process is asked
// to stop or loses its parent, all processes that the test started are stopped. A process that a
// passing test leaves running is a failure.
func execute(args []string) int {
	adoptOrphans()
	dir, remove, err := scratch()
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	defer remove()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for parent := os.Getppid(); ctx.Err() == nil && os.Getppid() == parent; {
			time.Sleep(500 * time.Millisecond)
		}
		cancel()
	}()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	go reap(ctx, cmd.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			<-ended
		}
		endOrphans()
		return 1
	}
	left := endOrphans()
	var cost syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &cost) == nil {
		writeCost(time.Duration(cost.Utime.Nano() + cost.Stime.Nano()).Seconds())
	}
	if len(left) > 0 {
		fmt.Fprintf(os.Stdout, "tests: processes were left running: %v\n", left)
		return 1
	}
	if err != nil {
		return max(1, cmd.ProcessState.ExitCode())
	}
	return 0
}

// stoppable makes a canceled context stop go test and all test processes.
func stoppable(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}
