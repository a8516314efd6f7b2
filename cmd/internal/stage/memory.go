package stage

import (
	"sync"

	"unfold/cmd/internal/config"
	"unfold/stream/learn"
)

// spareMemory is what a process takes beside its limits and the learner: its own pages,
// connections, what is written, and what the garbage collector has not found yet.
//
// The runtime does not count the pages of the program itself (60 MB once all have been used),
// and goes beyond its limit while it collects, by as much as is asked for meanwhile: one or two
// large messages. Both are taken off the bound that it is given.
const (
	spareMemory  = 200_000_000
	programPages = 64_000_000
	collecting   = 56_000_000
)

// MemoryBound is the memory in bytes that a stage of this configuration takes at most: messages
// that were read and not delivered, the work on messages, the learner, the page, and
// spareMemory. Events that wait for the first map come on top.
func MemoryBound(c *config.Config, learner int64) int64 {
	return int64(c.Limits.Queue) + int64(c.Limits.MessageMemory) + learner + pageBytes(c) + spareMemory
}

// bound sets the memory that the garbage collector keeps to: at the start without what the
// learner will hold, as nobody knows yet how many values its vectors have, then with it.
type bound struct {
	s    Settings
	mu   sync.Mutex
	most int64
}

// sized learns how many values vectors have, and of how many points a map is (0: of as many
// as the settings allow).
func (b *bound) sized(dim, points int) {
	s := b.s
	set, err := learner(s, s.Hooks, learnt{}, formats{})
	held := int64(0)
	if err == nil {
		set.Size = max(set.Size, points)
		held, err = learnerBytes(s, set, dim)
	}
	if err == nil { // what makes no sense is refused elsewhere
		b.set(held)
	}
}

// set sets the bound with a learner of so many bytes; it only grows.
func (b *bound) set(learner int64) {
	if b.s.Limit == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := MemoryBound(b.s.Config, learner) - programPages - collecting
	if n > b.most {
		b.most = n
		b.s.Limit(n)
	}
}

// learnerBytes is how much memory the learner will hold at most, of events of dim values.
func learnerBytes(s Settings, set learn.Settings, dim int) (int64, error) {
	if s.Config.Sink.Moves != "" {
		set.Moves = nowhere{}
	}
	if s.Config.Sink.Clusters != "" {
		set.Groups = nowhere{}
	}
	ids := 0
	if s.Config.Source.ID != "" {
		ids = idBytes
	}
	return set.Bytes(dim, ids)
}
