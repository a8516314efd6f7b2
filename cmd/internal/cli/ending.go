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

// graceTime is the time that a command may use to end in order after it was interrupted. Normally a
// command ends with its context. It may not, if it waits for the writer of a named pipe, the reader
// of standard output, or a long computation. After this time the process exits anyway.
const graceTime = 1500 * time.Millisecond

// patient is a command that bounds its own shutdown.
type patient interface {
	// grace replaces graceTime. 0 means that the process waits until the command ends.
	grace() time.Duration
}

// graceOf returns the time that the command may use to end.
func graceOf(parsed *kong.Context) time.Duration {
	if node := parsed.Selected(); node != nil && node.Target.CanAddr() {
		if c, is := node.Target.Addr().Interface().(patient); is {
			return c.grace()
		}
	}
	return graceTime
}

// leftovers removes the temporary files of commands that the process does not wait for. It is safe
// for concurrent use.
type leftovers struct {
	mu sync.Mutex
	// beside has the words of the command line. Temporary files lie next to those that are output
	// paths, or inside output folders.
	beside []string
	inputs []*remote.Files
}

// leftoversKey is the context key of leftovers.
type leftoversKey struct{}

// add registers the paths of a command line and its copies of remote inputs.
func (l *leftovers) add(parsed *kong.Context, args []string, inputs *remote.Files) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.beside = append(l.beside, args...)
	for _, f := range parsed.Flags() {
		l.beside = append(l.beside, fmt.Sprint(parsed.FlagValue(f)))
	}
	l.inputs = append(l.inputs, inputs)
}

// remove deletes the temporary files.
func (l *leftovers) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, path := range l.beside {
		atomicfile.SweepOwn(path)
	}
	for _, files := range l.inputs {
		_ = files.Close() // copies in the system's temporary folder
	}
}

// runBounded runs a command and bounds its shutdown: once the context is done, the command has
// graceTime to end. After that the context's error is returned and the process has to exit, because
// the command may still run. A command of a session has no such bound, because the session has its
// own.
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
	err, ended := await(ctx, grace, func() error { return parsed.Run(p) })
	if !ended {
		left.remove()
		return ctx.Err()
	}
	return err
}

// openTime is the time that opening may take to end after the context is done, for a command whose
// own grace is longer or none.
const openTime = 500 * time.Millisecond

// opening runs the start of a patient command. What it opens may be a named pipe that nobody writes
// to, and waiting for that does not end with the context. Once the context is done, f has openTime to
// end. After that the context's error is returned, and the process has to exit, because f may still
// run.
func opening[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	r, ended := await(ctx, openTime, func() (r result) {
		r.value, r.err = f()
		return r
	})
	if !ended {
		return r.value, ctx.Err()
	}
	return r.value, r.err
}

// await returns the result of f. Once the context is done, f has the given time to end. ended is
// false if it did not; then it may still run.
func await[T any](ctx context.Context, grace time.Duration, f func() T) (result T, ended bool) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case r := <-done:
		return r, true
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r, true
	case <-time.After(grace):
		return result, false
	}
}
