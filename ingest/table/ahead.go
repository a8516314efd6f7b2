package table

import (
	"context"
	"errors"
	"io"
	"iter"
)

// Ahead is All with read-ahead: it reads the next table while the caller uses one. Before it
// returns, it waits for the read in progress.
func Ahead(ctx context.Context, r Reader) iter.Seq2[*Table, error] {
	type read struct {
		table *Table
		err   error
	}
	return func(yield func(*Table, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		next := make(chan read)
		go func() {
			defer close(next)
			for {
				t, err := r.Next(ctx)
				if errors.Is(err, io.EOF) {
					return
				}
				select {
				case next <- read{t, err}:
				case <-ctx.Done(): // the caller has stopped, or the end of ctx is reported below
					return
				}
				if err != nil {
					return
				}
			}
		}()
		defer func() {
			cancel()
			for range next { // drains until the reader has ended
			}
		}()
		for t := range next {
			if !yield(t.table, t.err) || t.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}
