package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
)

// memoryFlag limits the memory of a command that reads whole files.
type memoryFlag struct {
	Memory config.Size `rare:"" placeholder:"SIZE" help:"Most memory to take, as 2GiB. The command runs in a separate process, and ends with an error if it needs more."`
}

func (f memoryFlag) limit() config.Size { return f.Memory }

// limitVariable is the environment variable with the memory limit, in bytes, of a process started
// by supervise.
const limitVariable = "UNFOLD_MEMORY_LIMIT"

// limitedUsage is the exit code of wrong usage in such a process, because the Go runtime exits with
// exitUsage when it is out of memory.
const limitedUsage = 64 + exitUsage

// endTime is the time that a process may use to end after it was asked to.
const endTime = 300 * time.Millisecond

// supervised returns the memory limit of the command, 0 for none. It is the smaller one if two
// limits are set. It returns a usage error if the command reads no files from others.
func supervised(e *everywhere, parsed *kong.Context) (config.Size, error) {
	most := e.Untrusted
	if node := parsed.Selected(); node != nil && node.Target.CanAddr() {
		if f, is := node.Target.Addr().Interface().(interface{ limit() config.Size }); is && f.limit() > 0 {
			most = min(f.limit(), cmp.Or(most, f.limit()))
		}
	}
	name, _, _ := strings.Cut(parsed.Command(), " ")
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if most > 0 && (i < 0 || !commands[i].reads) {
		return 0, usagef("--untrusted: %s reads no files of others, so there is nothing to bound; leave it out", name)
	}
	return most, nil
}

// supervise runs the command line in a child process with a memory limit. The limit includes all
// work of the command, because reading and decoding an input uses the memory. Checking inputs
// beforehand would not help: they could be replaced after the check. The child ends with this
// process. When ctx is done, the child has grace to end in order.
func supervise(ctx context.Context, sys System, screen io.Writer, limit config.Size, untrusted bool, grace time.Duration) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, self, sys.Args...)
	child.Env = append(withoutLimit(os.Environ()), limitVariable+"="+strconv.FormatInt(int64(limit), 10), "GOTRACEBACK=none")
	child.Stdin, child.Stdout, child.Stderr = sys.Stdin, sys.Stdout, &untilFault{w: screen}
	child.Cancel = func() error { return interrupt(child.Process) }
	child.WaitDelay = grace + endTime
	// Linux ends the child with the thread that started it, not with the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bind(child)
	err = child.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && (!asksToEnd || !errors.As(err, &exit) || exit.ExitCode() < 0):
		return ctx.Err() // otherwise the child ended in order and printed its error
	case errors.As(err, &exit) && exit.ExitCode() == exitFailed, errors.As(err, &exit) && exit.ExitCode() == exitBadInput:
		return &codeError{exit.ExitCode()}
	case errors.As(err, &exit) && exit.ExitCode() == limitedUsage:
		return &codeError{exitUsage}
	case errors.As(err, &exit) && untrusted:
		return &limitError{exitBadInput, fmt.Errorf("reading it took more than %s, or its decoder died of it: an input is damaged, or made to do this; if it is neither, give --untrusted more memory", humanize.Bytes(int64(limit)))}
	case errors.As(err, &exit):
		return &limitError{exitFailed, fmt.Errorf("the command needs more than %s; give --memory more, or read fewer rows", humanize.Bytes(int64(limit)))}
	}
	return err
}

// untilFault passes on the output of a process until its Go runtime reports a fault, such as out of
// memory. It drops the rest, a stack trace that no setting disables.
type untilFault struct {
	w     io.Writer
	ended bool
}

func (u *untilFault) Write(p []byte) (int, error) {
	if u.ended {
		return len(p), nil
	}
	text := p
	if at := faults.FindIndex(p); at != nil {
		u.ended, text = true, p[:at[0]]
	}
	if _, err := u.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// faults match the first line of a fault of the Go runtime.
var faults = regexp.MustCompile(`(?m)^(runtime|fatal error|panic|unexpected fault address|SIG[A-Z]+): `)

// withoutLimit returns the environment without the variables that supervise sets.
func withoutLimit(environ []string) (out []string) {
	for _, e := range environ {
		if !strings.HasPrefix(e, limitVariable+"=") && !strings.HasPrefix(e, "GOTRACEBACK=") {
			out = append(out, e)
		}
	}
	return out
}

// limited applies the memory limit in a process started by supervise. ok reports whether this
// process is one.
func limited() (ok bool, err error) {
	text, ok := os.LookupEnv(limitVariable)
	if !ok {
		return false, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false, fmt.Errorf("%s=%q is no number of bytes", limitVariable, text)
	}
	endWithParent()
	return true, limitMemory(n)
}

// codeError is an error that the child process already printed.
type codeError struct{ code int }

func (e *codeError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// limitError is the error of an exceeded limit.
type limitError struct {
	code int
	error
}

func (e *limitError) Unwrap() error { return e.error }
