package ingest

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowipc"
)

// recovered turns a panic into an error.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case memoryLimit:
		*err = p
	default:
		*err = fmt.Errorf("it is beyond the Arrow library: %v", p)
	}
}

// cappedAllocator panics rather than allocate more than its limit since used was
// last set to 0; the panic becomes an error in the decoder.
type cappedAllocator struct {
	memory.GoAllocator
	used, limit int64
	over        bool // more was asked for
}

func (a *cappedAllocator) charge(n int64) {
	a.used += n
	if a.limit > 0 && a.used > a.limit {
		a.over = true
		panic(memoryLimit(a.limit))
	}
}

// memoryLimit is what a decoder may allocate, and wanted more than.
type memoryLimit int64

func (m memoryLimit) Error() string {
	return fmt.Sprintf("it needs more than %d bytes of memory", int64(m))
}

func (m memoryLimit) Unwrap() error { return arrowipc.ErrLimit }

func (a *cappedAllocator) Allocate(n int) []byte {
	if n < 0 {
		panic("a negative size")
	}
	a.charge(int64(n))
	return a.GoAllocator.Allocate(n)
}

func (a *cappedAllocator) Reallocate(n int, b []byte) []byte {
	a.charge(int64(n - len(b)))
	return a.GoAllocator.Reallocate(n, b)
}
