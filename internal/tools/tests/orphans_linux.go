package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of orphaned descendants.
func adoptOrphans() {
	// If the kernel refuses, orphans go to the first process, as on other systems.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// reap collects ended orphans until the context is done, like the first process, because a test may
// wait for the end of one. It does not collect the test binary, which is waited for elsewhere.
func reap(ctx context.Context, test int) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
		}
		for pid := range children() {
			if pid != test {
				syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
		}
	}
}

// patience is the time that processes have to end after the test that started them.
const patience = 2 * time.Second

// endOrphans waits for the children of this process, ends the remaining ones, and returns their
// names.
func endOrphans() (left []string) {
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err != nil || pid <= 0 {
				break
			}
		}
		children := children()
		if len(children) == 0 {
			return left
		}
		if time.Since(begin) < patience {
			continue
		}
		for pid, name := range children {
			left = append(left, fmt.Sprintf("%s (%d)", name, pid))
			syscall.Kill(pid, syscall.SIGKILL)
			syscall.Wait4(pid, nil, 0, nil)
		}
	}
}

// children returns the processes that have this one as their parent, by their names.
func children() map[int]string {
	out := map[int]string{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// The format is: pid (name) state parent ...; the name may contain blanks and parentheses.
		open, close := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		fields := bytes.Fields(stat[close+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid()) {
			out[pid] = string(stat[open+1 : close])
		}
	}
	return out
}
