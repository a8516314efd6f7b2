package simdtest

import (
	"syscall"
	"testing"
	"unsafe"
)

// AtEnd returns n zeros of type T at the end of accessible memory: reading or writing beyond them
// is a fault. T must not contain pointers.
func AtEnd[T any](tb testing.TB, n int) []T {
	tb.Helper()
	page := syscall.Getpagesize()
	var zero T
	size := n * int(unsafe.Sizeof(zero))
	whole := (size + page - 1) / page * page
	b, err := syscall.Mmap(-1, 0, whole+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := syscall.Munmap(b); err != nil {
			tb.Error(err)
		}
	})
	if err := syscall.Mprotect(b[whole:], syscall.PROT_NONE); err != nil {
		tb.Fatal(err)
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[whole-size])), n)
}
