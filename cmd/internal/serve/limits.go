package serve

import (
	"cmp"
	"runtime"
	"time"
)

// Limits bound what requests may take. Fields that are 0 take the default.
type Limits struct {
	// Body bounds a request's bytes (8 MiB), and Rows its rows (65,536).
	Body int64
	Rows int64
	// Memory bounds what decoding a request may take, and its vectors (64 MiB).
	Memory int64
	// Held bounds the bytes of all bodies that have been read and not answered (8 times
	// Body, and 64 MiB at least).
	Held int64
	// Requests are worked on at a time (as many as there are processors); others wait.
	Requests int
	// Time bounds the wait for a turn and the work on a request (10 s).
	Time time.Duration
	// Neighbors is how many a request may ask for (100).
	Neighbors int
	// Reasons is how many columns that explain a row a request may ask for (100).
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
