package stage

import (
	"sync"

	"unfold/cmd/internal/config"
	"unfold/stream/learn"
)

// spareMemory is the memory of a process in addition to its limits and the learner: program pages,
// connections, output buffers, and garbage that is not collected yet.
//
// The Go runtime does not count the pages of the program itself (60 MB once all were used). During
// a collection it exceeds its limit by the memory allocated meanwhile: one or two large messages,
// 100 to 160 MiB with messages of 60 MB that are decoded in four partitions on two processors. Both
// are subtracted from the limit that the runtime gets.
const (
	spareMemory  = 260_000_000
	programPages = 64_000_000
	collecting   = 180_000_000
)

// MemoryBound returns the maximum memory of a stage in bytes: the queue of messages, decoding, the
// learner, the page, and spareMemory. Events that wait for the first map come on top.
func MemoryBound(c *config.Config, learner int64) int64 {
	return int64(c.Limits.Queue) + int64(c.Limits.MessageMemory) + learner + pageBytes(c) + spareMemory
}

// bound sets the memory limit of the garbage collector. At the start it excludes the learner,
// because the length of vectors is unknown. It is set again when that is known.
type bound struct {
	s    Settings
	mu   sync.Mutex
	most int64
}

// sized sets the bound for vectors of dim values and a map of the given number of points. 0 points
// means as many as the settings allow.
func (b *bound) sized(dim, points int) {
	s := b.s
	set, err := learner(s, s.Hooks, learnt{}, formats{})
	held := int64(0)
	if err == nil {
		set.Size = max(set.Size, points)
		held, err = learnerBytes(s, set, dim)
	}
	if err == nil { // invalid settings are reported elsewhere
		b.set(held)
	}
}

// set sets the bound for a learner of that many bytes. The bound only grows.
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

// learnerBytes returns the maximum memory of the learner, for events of dim values.
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
