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

// adoptOrphans makes this process the parent of its descendants whose own parent ends.
func adoptOrphans() {
	// Where the kernel refuses, orphans go to the first process, as they do elsewhere.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// reap collects orphans that have ended, until the context ends, as the first process would: a test may wait until
// one is gone. It leaves the test binary to its own waiter.
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

// patience is how long processes may take to end after the test that started them.
const patience = 2 * time.Second

// endOrphans waits for the children of this process, ends those that stay, and returns their names.
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
		// pid (name) state parent ...; the name may hold blanks and parentheses.
		open, close := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		fields := bytes.Fields(stat[close+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(os.Getpid()) {
			out[pid] = string(stat[open+1 : close])
		}
	}
	return out
}
