package cli

import (
	"context"
	"io"
	"testing"
	"time"
)

// With --attached a command ends with its standard input; without it, it does not.
func TestAttached(t *testing.T) {
	for name, attached := range map[string]bool{"attached": true, "alone": false} {
		t.Run(name, func(t *testing.T) {
			in, other := io.Pipe()
			ctx, stop := attachedFlags{attached}.tie(t.Context(), &program{System: System{Stdin: in}})
			defer stop()
			if ctx.Err() != nil {
				t.Fatal("it is done before its input ends")
			}
			other.Close()
			ended := true
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
				ended = false
			}
			if ended != attached {
				t.Errorf("ended: %v, want %v", ended, attached)
			}
			stop()
			if context.Cause(ctx) != context.Canceled {
				t.Error(context.Cause(ctx))
			}
		})
	}
}
