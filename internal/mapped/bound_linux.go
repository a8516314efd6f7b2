package mapped

import (
	"fmt"
	"os"
	"sync"
	"syscall"
)

// bounded is set once BoundSpace has limited the address space. Mapped files then extend the limit.
var bounded struct {
	sync.Mutex
	is bool
}

// BoundSpace limits the address space of this process to its present size and n bytes more, beside
// the files that New and NewLists map. A limit of data (RLIMIT_DATA) does not suffice: Linux does not
// count memory that replaces a reserved range, which is how Go gets the memory of a large slice.
func BoundSpace(n int64) error {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return fmt.Errorf("limiting the address space: %w", err)
	}
	var pages int64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return fmt.Errorf("limiting the address space: /proc/self/statm: %w", err)
	}
	bounded.Lock()
	defer bounded.Unlock()
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return fmt.Errorf("limiting the address space: %w", err)
	}
	limit.Cur = min(limit.Cur, limit.Max, uint64(pages*int64(os.Getpagesize())+n))
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return fmt.Errorf("limiting the address space: %w", err)
	}
	bounded.is = true
	return nil
}

// extendSpace raises the limit of BoundSpace by the size of a mapped file, and lowers it by a
// negative size.
func extendSpace(size int64) error {
	bounded.Lock()
	defer bounded.Unlock()
	if !bounded.is {
		return nil
	}
	limit := syscall.Rlimit{}
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return fmt.Errorf("mapped: the limit of the address space: %w", err)
	}
	limit.Cur = min(limit.Max, uint64(int64(limit.Cur)+size))
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		return fmt.Errorf("mapped: the limit of the address space: %w", err)
	}
	return nil
}
