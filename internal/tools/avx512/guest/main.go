//go:build linux

// Guest is the first process of the emulated machine of make avx512. It runs the machine's test
// binaries, writes the results to the console and powers off.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"unfold/internal/tools/avx512/serial"
)

func main() {
	if err := run(); err != nil {
		fmt.Println("init:", err)
	}
	// The console's buffer is flushed before powering off.
	unix.IoctlSetInt(1, unix.TCSBRK, 1)
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

func run() error {
	for _, m := range []struct{ kind, at string }{{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}, {"tmpfs", "/tmp"}} {
		if err := os.MkdirAll(m.at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, m.at, m.kind, 0, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", m.at, err)
		}
	}
	flags, err := flags()
	if err != nil {
		return err
	}
	serial.Flags(os.Stdout, flags)
	text, err := os.ReadFile(serial.Jobs)
	if err != nil {
		return err
	}
	var jobs []serial.Job
	if err := json.Unmarshal(text, &jobs); err != nil {
		return err
	}
	for _, j := range jobs {
		serial.Begin(os.Stdout, j.Package)
		code, err := test(j)
		if err != nil {
			return err
		}
		serial.End(os.Stdout, j.Package, code)
	}
	serial.Done(os.Stdout)
	return nil
}

// flags returns the processor's features, from /proc/cpuinfo.
func flags() (string, error) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "flags" {
			return strings.TrimSpace(value), nil
		}
	}
	return "", errors.New("/proc/cpuinfo has no flags")
}

// test runs a job and returns the exit code of its tests.
func test(j serial.Job) (int, error) {
	const profile = "/tmp/profile"
	dir := path.Join("/tests", j.Package)
	c := exec.Command(path.Join(dir, "test"), append(j.Args, "-test.coverprofile="+profile)...)
	c.Dir, c.Stdout, c.Stderr = dir, os.Stdout, os.Stdout
	c.Env = append(os.Environ(), append(serial.Env, "HOME=/tmp", "TMPDIR=/tmp")...)
	if err := c.Run(); err != nil && c.ProcessState == nil {
		return 0, err
	}
	fmt.Println()
	text, err := os.ReadFile(profile)
	if errors.Is(err, os.ErrNotExist) {
		return c.ProcessState.ExitCode(), nil // tests that crash leave no profile
	} else if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		place, _, _ := strings.Cut(lines.Text(), ":")
		if slices.Contains(j.Files, path.Base(place)) && !strings.HasSuffix(lines.Text(), " 0") {
			serial.Covered(os.Stdout, lines.Text())
		}
	}
	return c.ProcessState.ExitCode(), os.Remove(profile)
}
