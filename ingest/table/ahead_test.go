package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// counted returns a number of tables, then an error.
type counted struct {
	left, read int
	end        error
	wait       time.Duration
	busy       bool
}

func (c *counted) Next(ctx context.Context) (*Table, error) {
	c.busy = true
	defer func() { c.busy = false }()
	select {
	case <-time.After(c.wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c.left == 0 {
		return nil, c.end
	}
	c.left--
	c.read++
	return &Table{Origin: Origin{Row: int64(c.read)}}, nil
}

func (c *counted) Schema() Schema { return Schema{} }
func (c *counted) Close() error   { return nil }

// Tables come in order, with the error that ends them, and the next one is read meanwhile.
func TestAhead(t *testing.T) {
	broken := errors.New("broken")
	for _, end := range []error{io.EOF, broken} {
		t.Run(fmt.Sprint(end), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, n, begin := &counted{left: 5, end: end, wait: time.Second}, 0, time.Now()
				for x, err := range Ahead(t.Context(), r) {
					if n++; n == 6 && end == broken {
						if x != nil || err != broken {
							t.Fatalf("table %v, error %v", x, err)
						}
						continue
					}
					if err != nil || x.Origin.Row != int64(n) {
						t.Fatalf("table %d: %+v, error %v", n, x, err)
					}
					time.Sleep(time.Second)
				}
				if n != 5 && end == io.EOF || n != 6 && end == broken {
					t.Errorf("%d tables or errors", n)
				}
				if took := time.Since(begin); took != 6*time.Second {
					t.Errorf("%v; six reads of a second, each beside a use", took)
				}
			})
		})
	}
}

// Whoever stops has the reader to himself: nothing reads any more.
func TestAheadStops(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			r := &counted{left: 5, end: io.EOF, wait: wait}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if wait > 0 { // while it reads the first
				time.AfterFunc(time.Minute, cancel)
			}
			for _, err := range Ahead(ctx, r) {
				if wait > 0 && !errors.Is(err, context.Canceled) {
					t.Errorf("error %v, want that it was cancelled", err)
				}
				break
			}
			if r.busy || r.read > 2 {
				t.Errorf("reading: %v, %d tables were read", r.busy, r.read)
			}
		})
	}
}

// All yields the tables in order, then the error that ends them, and reads no more than is taken.
func TestAll(t *testing.T) {
	broken := errors.New("broken")
	for _, end := range []error{io.EOF, broken} {
		r, n := &counted{left: 3, end: end}, int64(0)
		for x, err := range All(t.Context(), r) {
			if n++; n == 4 && end == broken && x == nil && err == broken {
				continue
			}
			if err != nil || x.Origin.Row != n {
				t.Fatalf("table %d: %+v, error %v", n, x, err)
			}
		}
		if n != 3 && end == io.EOF || n != 4 && end == broken {
			t.Errorf("%d tables or errors", n)
		}
	}
	r := &counted{left: 3, end: io.EOF}
	for range All(t.Context(), r) {
		break
	}
	if r.read != 1 {
		t.Errorf("%d tables were read, one was taken", r.read)
	}
}

// A reading that is cancelled while its tables are used ends with the reason.
func TestAheadCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		var last error
		for _, err := range Ahead(ctx, &counted{left: 5, end: io.EOF}) {
			if n++; n == 1 {
				cancel()
				synctest.Wait()
			}
			last = err
		}
		if n != 2 || !errors.Is(last, context.Canceled) {
			t.Errorf("%d tables or errors, the last error is %v", n, last)
		}
	})
}
