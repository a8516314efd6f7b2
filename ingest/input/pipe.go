package input

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// openPath opens a file of any type. Opening a named pipe blocks until there is a writer or the
// context is done.
func openPath(ctx context.Context, path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
	}
	for {
		meet(path)
		select {
		case o := <-done:
			if o.err == nil {
				o.file.Close()
			}
			return nil, ctx.Err()
		case <-time.After(time.Millisecond): // the other goroutine did not wait yet
		}
	}
}

// bounded reads a file until the context is done, even if no bytes arrive. Only pollable files,
// such as pipes, can be interrupted during a read.
type bounded struct {
	ctx  context.Context
	file *os.File
}

// bind returns a reader of the file that ends with the context, and a function that releases it.
func bind(ctx context.Context, file *os.File) (bounded, func() error) {
	stop := context.AfterFunc(ctx, func() { _ = file.SetReadDeadline(time.Unix(1, 0)) }) // regular files have no deadline
	return bounded{ctx, file}, func() error { stop(); return nil }
}

func (b bounded) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err // reads of regular files have no deadline
	}
	n, err := b.file.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) && b.ctx.Err() != nil {
		err = b.ctx.Err()
	}
	return n, err
}
