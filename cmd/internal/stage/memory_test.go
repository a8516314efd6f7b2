package stage

import (
	"testing"

	"unfold/cmd/internal/config"
)

// TestMemoryBound counts every part once: queue, decoding, learner, page and the rest.
func TestMemoryBound(t *testing.T) {
	c := &config.Config{HTTP: "127.0.0.1:8080"}
	c.Limits.Queue, c.Limits.MessageMemory = 64<<20, 256<<20
	c.Reference.Size, c.Page.Points = 1000, 5000
	const learner = 7 << 20
	without := int64(64<<20 + 256<<20 + learner + 260_000_000)
	page := int64(400*(5000+1100) + 184<<20 + 64<<20 + 16<<20)
	if got := MemoryBound(c, learner); got != without+page {
		t.Errorf("with a page: %d, want %d", got, without+page)
	}
	// Encodings for clients grow with the number of points.
	c.Page.Points = 2_000_000
	if got, want := MemoryBound(c, learner)-without, int64(528*(2_000_000+1100)+200<<20); got != want {
		t.Errorf("with a large page: %d, want %d", got, want)
	}
	c.Page.Points = 0
	if got := MemoryBound(c, learner); got != without {
		t.Errorf("without a page: %d, want %d", got, without)
	}
	// The collector's limit is the same sum without the memory that the runtime does not count.
	var limit int64
	b := bound{s: Settings{Config: c, Limit: func(n int64) { limit = n }}}
	b.set(learner)
	if want := without - programPages - collecting; limit != want {
		t.Errorf("the collector keeps to %d, want %d", limit, want)
	}
}
