//go:build linux

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asWrapper makes this test binary the wrapper, which adopts processes and must not run other
// tests.
const asWrapper = "UNFOLD_TEST_AS_WRAPPER"

func TestMain(m *testing.M) {
	if os.Getenv(asWrapper) != "" {
		os.Exit(execute(os.Args[1:]))
	}
	os.Exit(m.Run())
}

func wrapped(t *testing.T, script string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, out := exec.Command(self, "sh", "-c", script), new(bytes.Buffer)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), asWrapper+"=1"), out, out
	return cmd, out
}

// gone reports whether a process has ended.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func pid(t *testing.T, file string) int {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(text), "\n") {
			n, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("the script did not begin")
	return 0
}

// The wrapper returns the exit code, reports the cost, and removes temporary files.
func TestExecute(t *testing.T) {
	cmd, out := wrapped(t, `echo "$TMPDIR"; touch "$TMPDIR/left"; exit 3`)
	err := cmd.Run()
	lines := strings.Split(out.String(), "\n")
	if _, ok := parseCost(lines[1]); cmd.ProcessState.ExitCode() != 3 || !ok {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(lines[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v", lines[0], err)
	}
}

// A process that outlives its test is ended, and counts as a failure.
func TestLeftBehind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	cmd, out := wrapped(t, `(sleep 600 & echo $! >`+file+`) `)
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(out.String(), "left running: [sleep (") {
		t.Errorf("%v: %s", err, out)
	}
	if !gone(pid(t, file)) {
		t.Error("it runs on")
	}
}

// When the wrapper is asked to stop, all processes of the test are stopped.
func TestStopped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	cmd, out := wrapped(t, `(setsid sleep 600 & echo $! >`+file+`); sleep 600`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := pid(t, file)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Errorf("exit code 0: %s", out)
	}
	if !gone(child) {
		t.Error("it runs on")
	}
}
