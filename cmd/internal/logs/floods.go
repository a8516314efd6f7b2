package logs

import (
	"log/slog"
	"sync"
	"time"
)

// floods limits lines of a kind to one a second, and counts the suppressed ones.
type floods struct {
	mu    sync.Mutex
	now   func() time.Time
	kinds map[string]*flood
}

// flood is the state of one kind of line.
type flood struct {
	last time.Time
	held int
}

// may reports whether a line of the kind may be written now. held has the number of lines
// suppressed since the last one.
func (f *floods) may(kind string) (held []slog.Attr, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := f.kinds[kind]
	if k == nil {
		k = &flood{}
		f.kinds[kind] = k
	}
	now := f.now()
	if !k.last.IsZero() && now.Sub(k.last) < time.Second {
		k.held++
		return nil, false
	}
	if k.held > 0 {
		held = []slog.Attr{slog.Int(Held, k.held)}
	}
	k.last, k.held = now, 0
	return held, true
}
