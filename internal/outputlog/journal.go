// Package outputlog collects the output of a process, for programs that measure processes and tests
// that wait for a line.
package outputlog

import (
	"bytes"
	"regexp"
	"sync"
)

// Journal keeps all data written to it. It is safe for concurrent use. The zero value is empty and
// unbounded.
type Journal struct {
	// Most, unless 0, is the size in bytes from which further writes are dropped.
	Most int

	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer. It never fails, and dropped data counts as written.
func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.Most > 0 && j.b.Len() > j.Most {
		return len(p), nil
	}
	return j.b.Write(p)
}

// String returns everything written so far.
func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// Count returns the number of matches so far.
func (j *Journal) Count(what *regexp.Regexp) int { return len(what.FindAllString(j.String(), -1)) }
