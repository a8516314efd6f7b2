package serve

import (
	"cmp"
	"runtime"
	"time"
)

// Limits bound the resources of requests. Fields that are 0 use the default.
type Limits struct {
	// Body bounds a request's bytes (8 MiB), and Rows its rows (65,536).
	Body int64
	Rows int64
	// Memory bounds the bytes of decoding a request, and of its vectors (64 MiB).
	Memory int64
	// Held bounds the bytes of all bodies that are read but not answered (8 times Body, at least 64
	// MiB).
	Held int64
	// Requests is the number of requests that are processed at the same time (default: the number
	// of processors). Others wait.
	Requests int
	// Time bounds the wait for a turn and the processing of a request (10 s).
	Time time.Duration
	// Neighbors is the most neighbours that a request may ask for (100).
	Neighbors int
	// Reasons is the most explaining columns a row that a request may ask for (100).
	Reasons int
}

// Filled returns the limits with their defaults.
func (l Limits) Filled() Limits {
	l.Body = cmp.Or(l.Body, 8<<20)
	l.Rows = cmp.Or(l.Rows, 1<<16)
	l.Memory = cmp.Or(l.Memory, 64<<20)
	l.Held = cmp.Or(l.Held, max(8*l.Body, 64<<20))
	l.Requests = cmp.Or(l.Requests, runtime.GOMAXPROCS(0))
	l.Time = cmp.Or(l.Time, 10*time.Second)
	l.Neighbors = cmp.Or(l.Neighbors, 100)
	l.Reasons = cmp.Or(l.Reasons, 100)
	return l
}
