package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Output logs and runs a program, and returns its output.
func Output(ctx context.Context, log io.Writer, program string, args ...string) (string, error) {
	name := filepath.Base(program)
	fmt.Fprintln(log, name, strings.Join(args, " "))
	var out, errs strings.Builder
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, errs.String())
	}
	return out.String(), nil
}

// ProcessVerb makes a measuring program a small process that starts another one and measures it.
// The system includes the parent's memory at the start in a process's peak, so the parent must be
// small.
const ProcessVerb = "process"

// Usage is the resource usage of a process.
type Usage struct {
	Wall float64 `json:"wall"` // seconds of wall-clock time
	CPU  float64 `json:"cpu"`  // seconds of processor time of all threads
	Peak float64 `json:"peak"` // bytes of resident memory; 0 if unknown
	// Others is the share of the processors that other processes used meanwhile; 1 if unknown.
	Others float64 `json:"others"`
}

// ProcessMain runs the program args[2:] and writes its usage to the file args[1], if the arguments
// are those of such a small process.
func ProcessMain(args []string, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 || args[0] != ProcessVerb {
		return 0, false
	}
	if len(args) < 3 {
		fmt.Fprintln(stderr, ProcessVerb+": FILE PROGRAM ARGS...")
		return 2, true
	}
	args = args[1:]
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	clock, others := time.Now(), Others()
	err := cmd.Run()
	u := Usage{Wall: time.Since(clock).Seconds()}
	if s := cmd.ProcessState; s != nil {
		own := s.UserTime() + s.SystemTime()
		u.CPU, u.Peak, u.Others = own.Seconds(), Peak(s), others(own)
	}
	if err == nil {
		err = WriteJSON(args[0], u)
	}
	if err != nil {
		fmt.Fprintln(stderr, ProcessVerb+":", err)
		return 1, true
	}
	return 0, true
}

// Process runs a program in a small process, which is this program with ProcessMain. It returns the
// output and the usage, which it passes through a file. env is appended to this process's
// environment.
func Process(ctx context.Context, file string, env []string, name string, args ...string) (string, Usage, error) {
	var u Usage
	self, err := os.Executable()
	if err != nil {
		return "", u, err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", u, err
	}
	var out, errs strings.Builder
	cmd := exec.CommandContext(ctx, self, append([]string{ProcessVerb, file, name}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(os.Environ(), env...)
	if err := cmd.Run(); err != nil {
		return "", u, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, errs.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", u, err
	}
	return out.String(), u, json.Unmarshal(text, &u)
}
