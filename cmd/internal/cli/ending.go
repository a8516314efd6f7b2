package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"unfold/cmd/internal/remote"
	"unfold/internal/atomicfile"
)

// graceTime is how long a command may take to end in order after it was asked to. A command ends with its
// context sooner, unless it waits for something that no context ends: the writer of a named pipe, the reader of
// standard output, a long step of a decoder or of linear algebra. Then the process ends without it.
const graceTime = 1500 * time.Millisecond

// patient is a command that bounds the time of its end by itself.
type patient interface {
	// grace is graceTime of the command; 0 means that the process waits until the command has ended.
	grace() time.Duration
}

// graceOf returns how long the command may take to end.
func graceOf(parsed *kong.Context) time.Duration {
	if node := parsed.Selected(); node != nil && node.Target.CanAddr() {
		if c, is := node.Target.Addr().Interface().(patient); is {
			return c.grace()
		}
	}
	return graceTime
}

// leftovers removes the temporary files of commands that a process does not wait for. It is safe for
// concurrent use.
type leftovers struct {
	mu sync.Mutex
	// beside has the words of the command line. Temporary files lie next to those that are paths of outputs, or in
	// them if they are folders.
	beside []string
	inputs []*remote.Files
}

// leftoversKey is the context's key of leftovers.
type leftoversKey struct{}

// add adds what a command line names.
func (l *leftovers) add(parsed *kong.Context, args []string, inputs *remote.Files) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beside = append(l.beside, args...)
	for _, f := range parsed.Flags() {
		l.beside = append(l.beside, fmt.Sprint(parsed.FlagValue(f)))
	}
	l.inputs = append(l.inputs, inputs)
}

// remove removes them.
func (l *leftovers) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, path := range l.beside {
		atomicfile.SweepOwn(path)
	}
	for _, files := range l.inputs {
		_ = files.Close() // a copy in the system's folder for such files
	}
}

// runBounded runs a command. Once the context is done the command has graceTime to end; then its error is that
// of the context, and the process has to end, for the command may still run. A command of a session has no such
// bound: the session has.
func runBounded(ctx context.Context, parsed *kong.Context, p *program) error {
	left, nested := ctx.Value(leftoversKey{}).(*leftovers)
	if !nested {
		left = &leftovers{}
		ctx = context.WithValue(ctx, leftoversKey{}, left)
	}
	left.add(parsed, p.Args, &p.remote)
	parsed.BindTo(ctx, (*context.Context)(nil))
	grace := graceOf(parsed)
	if nested || grace == 0 {
		return parsed.Run(p)
	}
	done := make(chan error, 1)
	go func() { done <- parsed.Run(p) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(grace):
		left.remove()
		return ctx.Err()
	}
}
