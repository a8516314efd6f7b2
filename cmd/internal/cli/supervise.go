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

// memoryFlag bounds the memory of a command that reads files as a whole.
type memoryFlag struct {
	Memory config.Size `rare:"" placeholder:"SIZE" help:"Most memory to take, as 2GiB. The command runs in a process of its own, and ends with an error when it needs more."`
}

func (f memoryFlag) limit() config.Size { return f.Memory }

// limitVariable is the environment variable with the limit, in bytes, of a process that supervise starts.
const limitVariable = "UNFOLD_MEMORY_LIMIT"

// limitedUsage is the exit code of wrong usage there. The runtime ends a process without memory with exitUsage.
const limitedUsage = 64 + exitUsage

// endTime is how long a process may take to end after it has given its command up.
const endTime = 300 * time.Millisecond

// supervised reports how much memory the command may take, 0 for any. Both limits hold where both are set.
// Commands that read no files of others have none.
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

// supervise runs the command line in a process of its own that may take so much memory, all that it
// does included: what reads and decodes an input is what uses it, so nothing can be put in an
// input's place between a check and its use. The process ends with this one. When
// ctx is done the process has grace to end in order.
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
	// A system that ends a process with its parent looks at the parent's thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bind(child)
	err = child.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && (!asksToEnd || !errors.As(err, &exit) || exit.ExitCode() < 0):
		return ctx.Err() // else the process has ended in order and printed why
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

// untilFault passes on what a process writes until its runtime reports a fault, such as that there is
// no memory: what follows is a trace, which no setting turns off.
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

// faults begin a line of the runtime's.
var faults = regexp.MustCompile(`(?m)^(runtime|fatal error|panic|unexpected fault address|SIG[A-Z]+): `)

// withoutLimit returns an environment without the variables that supervise sets.
func withoutLimit(environ []string) (out []string) {
	for _, e := range environ {
		if !strings.HasPrefix(e, limitVariable+"=") && !strings.HasPrefix(e, "GOTRACEBACK=") {
			out = append(out, e)
		}
	}
	return out
}

// limited takes up the limit of a process that supervise has started; ok says that this is one.
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

// codeError is a failure that another process has printed.
type codeError struct{ code int }

func (e *codeError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// limitError is a limit that was reached.
type limitError struct {
	code int
	error
}

func (e *limitError) Unwrap() error { return e.error }
