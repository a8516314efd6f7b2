// Package outputlog keeps what a process says, for those who look into it meanwhile:
// programs that measure processes, and tests that wait for a line.
package outputlog

import (
	"bytes"
	"regexp"
	"sync"
)

// Journal keeps what is written to it. Several goroutines may write and read it. The
// zero value is empty and keeps everything.
type Journal struct {
	// Most, unless 0, is how many bytes are worth keeping: a write that finds more is
	// dropped.
	Most int

	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer; it does not fail, and what is dropped counts as written.
func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.Most > 0 && j.b.Len() > j.Most {
		return len(p), nil
	}
	return j.b.Write(p)
}

// String is all that it keeps so far.
func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// Count says how often it was said so far.
func (j *Journal) Count(what *regexp.Regexp) int { return len(what.FindAllString(j.String(), -1)) }
