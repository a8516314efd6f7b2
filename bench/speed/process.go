package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"unfold/bench/internal/harness"
)

// processVerb makes this program the small process that starts another one and
// measures it. The system counts as a process's peak memory what its parent held
// when it started it, so the parent must be small.
const processVerb = "process"

// usage is what a process took.
type usage struct {
	Wall float64 `json:"wall"` // seconds from start to end
	CPU  float64 `json:"cpu"`  // seconds of all its threads
	Peak float64 `json:"peak"` // bytes of resident memory; 0 if the system does not say
}

// runProcess runs the program args[1:] and writes its usage to the file args[0].
func runProcess(args []string, stderr io.Writer) int {
	if len(args) < 2 {
		fmt.Fprintln(stderr, "speed process: FILE PROGRAM ARGS...")
		return 2
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	clock := time.Now()
	err := cmd.Run()
	u := usage{Wall: time.Since(clock).Seconds()}
	if s := cmd.ProcessState; s != nil {
		u.CPU, u.Peak = (s.UserTime() + s.SystemTime()).Seconds(), peak(s)
	}
	if err == nil {
		err = harness.WriteJSON(args[0], u)
	}
	if err != nil {
		fmt.Fprintln(stderr, "speed process:", err)
		return 1
	}
	return 0
}

// process runs a program with as many threads as all and returns its output and
// what it took.
func (b *bench) process(ctx context.Context, name string, args ...string) (string, usage, error) {
	var u usage
	self, err := os.Executable()
	if err != nil {
		return "", u, err
	}
	path := b.file("usage.json")
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", u, err
	}
	var out, errs strings.Builder
	cmd := exec.CommandContext(ctx, self, append([]string{processVerb, path, name}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(os.Environ(), threadVariables(b.threads)...)
	if err := cmd.Run(); err != nil {
		return "", u, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, errs.String())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", u, err
	}
	return out.String(), u, json.Unmarshal(text, &u)
}

// threadVariables hold a program to so many threads.
func threadVariables(n int) (out []string) {
	for _, name := range []string{"GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"} {
		out = append(out, name+"="+strconv.Itoa(n))
	}
	return out
}

// Figures of a process.
const (
	wall = "wall"
	cpu  = "CPU"
	rss  = "peak memory"
)

// addUsage adds what one run of a process took.
func (r *record) addUsage(who string, u usage) {
	r.add(who, wall, seconds, u.Wall)
	r.add(who, cpu, seconds, u.CPU)
	if u.Peak > 0 {
		r.add(who, rss, inBytes, u.Peak)
	}
}

// ownVersion is what `unfold version` says first.
func (b *bench) ownVersion(ctx context.Context) (string, error) {
	out, _, err := b.process(ctx, b.unfold, "version")
	first, _, _ := strings.Cut(out, "\n")
	return strings.TrimPrefix(first, "unfold "), err
}
