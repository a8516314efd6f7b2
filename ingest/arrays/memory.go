package arrays

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowipc"
)

// Recovered turns a panic into an error.
func Recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case MemoryLimit:
		*err = p
	default:
		*err = fmt.Errorf("it is beyond the Arrow library: %v", p)
	}
}

// Allocator panics when the allocations since used was last reset exceed the limit. The decoder
// turns the panic into an error.
type Allocator struct {
	memory.GoAllocator
	Used, Limit int64
	Over        bool // more was asked for
}

func (a *Allocator) Charge(n int64) {
	a.Used += n
	if a.Limit > 0 && a.Used > a.Limit {
		a.Over = true
		panic(MemoryLimit(a.Limit))
	}
}

// MemoryLimit is the value of the panic when a decoder exceeds its memory limit, in bytes.
type MemoryLimit int64

func (m MemoryLimit) Error() string {
	return fmt.Sprintf("it needs more than %d bytes of memory", int64(m))
}

func (m MemoryLimit) Unwrap() error { return arrowipc.ErrLimit }

func (a *Allocator) Allocate(n int) []byte {
	if n < 0 {
		panic("a negative size")
	}
	a.Charge(int64(n))
	return a.GoAllocator.Allocate(n)
}

func (a *Allocator) Reallocate(n int, b []byte) []byte {
	a.Charge(int64(n - len(b)))
	return a.GoAllocator.Reallocate(n, b)
}
