package emit_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"unfold/ingest/emit"
)

// slow takes a second to write each output, and fails at one of them.
type slow struct {
	rows            []int64
	fails           int64
	closed, aborted bool
}

var errFull = errors.New("the disk is full")

func (s *slow) Write(o *emit.Output) error {
	time.Sleep(time.Second)
	if s.rows = append(s.rows, o.FirstRow); o.FirstRow == s.fails {
		return errFull
	}
	return nil
}

func (s *slow) Close() error { s.closed = true; return nil }
func (s *slow) Abort()       { s.aborted = true }

// Outputs are written in order, each while the next is prepared, and all before Close returns.
func TestBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, begin := &slow{fails: -1}, time.Now()
		w := emit.Behind(s)
		for i := range int64(4) {
			time.Sleep(time.Second)
			if err := w.Write(&emit.Output{FirstRow: i}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || !s.closed || s.aborted {
			t.Errorf("error %v, closed %v, aborted %v", err, s.closed, s.aborted)
		}
		if took := time.Since(begin); took != 5*time.Second || !slices.Equal(s.rows, []int64{0, 1, 2, 3}) {
			t.Errorf("%v for outputs %v", took, s.rows)
		}
	})
}

// An error is returned one output later and by Close, and nothing is written after it.
func TestBehindFails(t *testing.T) {
	for last := range int64(4) {
		synctest.Test(t, func(t *testing.T) {
			s := &slow{fails: 1}
			w := emit.Behind(s)
			for i := range last {
				if err := w.Write(&emit.Output{FirstRow: i}); (err == nil) != (i < 2) || err != nil && !errors.Is(err, errFull) {
					t.Errorf("output %d: error %v", i, err)
				}
			}
			if err := w.Close(); (err == nil) != (last < 2) || s.closed != (last < 2) || s.aborted != (last >= 2) {
				t.Errorf("after %d outputs: error %v, closed %v, aborted %v", last, err, s.closed, s.aborted)
			}
			if int64(len(s.rows)) != min(last, 2) {
				t.Errorf("%d outputs: %v were written", last, s.rows)
			}
		})
	}
}

// Abort waits for the output being written before it removes the file.
func TestBehindAborts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{fails: -1}
		w := emit.Behind(s)
		if err := w.Write(&emit.Output{}); err != nil {
			t.Fatal(err)
		}
		if w.Abort(); !s.aborted || len(s.rows) != 1 {
			t.Errorf("aborted %v, written %v", s.aborted, s.rows)
		}
	})
}
