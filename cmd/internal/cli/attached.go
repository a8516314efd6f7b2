package cli

import (
	"context"
	"io"
)

// attachedFlags tie a command that does not end by itself to the program that started it.
type attachedFlags struct {
	Attached bool `help:"End in order when standard input ends. A program that starts this one and holds the other end of a pipe takes it along, however it ends itself."`
}

// tie returns a context that is done when ctx is or, if that is wanted, standard input has ended.
func (a attachedFlags) tie(ctx context.Context, p *program) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	if a.Attached {
		// The reader ends with its input, which the process's end closes.
		go func() {
			defer stop()
			_, _ = io.Copy(io.Discard, p.Stdin) // an input that breaks has ended
		}()
	}
	return ctx, stop
}
