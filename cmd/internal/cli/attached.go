package cli

import (
	"context"
	"io"
)

// attachedFlags tie a long-running command to the program that started it.
type attachedFlags struct {
	Attached bool `help:"End in order when standard input ends, and so together with the program at the other end of the pipe."`
}

// tie returns a context that ends with ctx or, with --attached, at the end of standard input.
func (a attachedFlags) tie(ctx context.Context, p *program) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	if a.Attached {
		// The goroutine ends with its input, which is closed when the process ends.
		go func() {
			defer stop()
			_, _ = io.Copy(io.Discard, p.Stdin) // a read error also ends the input
		}()
	}
	return ctx, stop
}
