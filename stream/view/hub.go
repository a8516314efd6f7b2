package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"unfold/internal/vec"
)

// Settings of a Hub. The zero value works.
type Settings struct {
	// Size is how many points are kept, DefaultSize for 0.
	Size int
	// Every is how often changes are handed out by Run, 200 ms for 0.
	Every time.Duration
	// Log bounds the bytes of deltas that are kept for readers, 32 MiB for 0.
	Log int
	// Title names what is shown.
	Title string
	// Live says that points come and go: readers expect changes.
	Live bool
}

// DefaultSize is how many points a hub keeps that nobody has set another number for.
const DefaultSize = 200_000

// partRows is how many rows a part of the whole has.
const partRows = 1 << 16

// Hub keeps points for readers. It is safe for concurrent use.
type Hub struct {
	set Settings

	mu   sync.Mutex
	ring *ring
	// dirty are the slots that changed since the last tick, and how.
	dirty []uint32
	state []Change // by slot; 0: unchanged
	// generation counts the times that readers have to begin again.
	generation uint64
	// announced is how many values of each column readers know of.
	announced []int
	m         MapState
	status    []byte
	log       deltaLog
	readers   int
	// woken is closed when there is something new for readers.
	woken chan struct{}
}

// MapState is the map that places are on.
type MapState struct {
	ID      string `json:"id,omitempty"`
	Epoch   uint32 `json:"epoch,omitempty"`
	Version uint64 `json:"version,omitempty"`
}

// New makes a hub.
func New(s Settings) *Hub {
	s.Size = cmp.Or(max(s.Size, 0), DefaultSize)
	s.Every = cmp.Or(max(s.Every, 0), 200*time.Millisecond)
	s.Log = cmp.Or(max(s.Log, 0), 32<<20)
	return &Hub{set: s, ring: newRing(s.Size), woken: make(chan struct{})}
}

// Put takes points that come. An error is about rows whose parts differ in length.
func (h *Hub) Put(in Rows) error {
	if err := in.check(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	sources, again := h.ring.sources(in.Columns)
	for i := range in.X {
		if x, y := in.X[i], in.Y[i]; !vec.Finite([]float32{x, y}) {
			continue
		}
		id := ""
		if in.ID.Valid() && !in.ID.IsNull(i) {
			id = clip(in.ID.Text(i))
		}
		s := h.ring.claim(id)
		h.ring.x[s], h.ring.y[s], h.ring.at[s] = in.X[i], in.Y[i], in.At
		for k, c := range h.ring.columns {
			if !c.set(int(s), sources[k], i) {
				again = true
			}
		}
		h.touch(s, Put)
	}
	if again {
		h.restart()
	}
	return nil
}

// Remove takes points out, by their ids. Ids that are not there do nothing.
func (h *Hub) Remove(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		if s, there := h.ring.remove(clip(id)); there {
			h.touch(s, Remove)
		}
	}
}

// Move gives every point a new place: f changes the places of n points, and says whether
// it did. After it comes the map that the places are on.
func (h *Hub) Move(to MapState, f func(x, y []float32, id []string, used []bool) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.m = to
	r := h.ring
	if f != nil && f(r.x, r.y, r.id, r.used) {
		for s, used := range r.used {
			if used {
				h.touch(uint32(s), Move)
			}
		}
	}
	h.post(Message{Text: true, Data: encode(mapMessage{"map", to})}, h.tick()...)
}

// Tick hands out what has changed since the last one.
func (h *Hub) Tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if messages := h.tick(); len(messages) > 0 {
		h.post(messages[0], messages[1:]...)
	}
}

// SetStatus hands readers what the page says beside the map, as JSON of an object.
func (h *Hub) SetStatus(status any) error {
	text, err := json.Marshal(statusMessage{"status", status})
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = text
	h.post(Message{Text: true, Data: text})
	return nil
}

// Len is how many points are there.
func (h *Hub) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ring.n
}

// touch notes a change of a slot. What came first since the last tick stays, unless it is
// less: a point that came and moved came.
func (h *Hub) touch(s uint32, c Change) {
	if h.readers == 0 {
		return // who joins gets the whole
	}
	h.state = grown(h.state, int(s)+1, 0)
	switch was := h.state[s]; {
	case was == 0:
		h.dirty = append(h.dirty, s)
		h.state[s] = c
	case was == Put && c == Move:
	default:
		h.state[s] = c
	}
}

// restart makes all readers begin again.
func (h *Hub) restart() {
	h.generation++
	h.wake()
}

// wake lets readers look.
func (h *Hub) wake() {
	close(h.woken)
	h.woken = make(chan struct{})
}

// post hands messages to readers, in the order m, more. The lock is held.
func (h *Hub) post(m Message, more ...Message) {
	if h.readers == 0 {
		h.log.clear()
		return
	}
	h.log.add(h.set.Log, m)
	for _, m := range more {
		h.log.add(h.set.Log, m)
	}
	h.wake()
}

// tick returns the messages of what has changed. The lock is held.
func (h *Hub) tick() []Message {
	if len(h.dirty) == 0 {
		return nil
	}
	var by [Remove + 1][]uint32
	for _, s := range h.dirty {
		by[h.state[s]] = append(by[h.state[s]], s)
		h.state[s] = 0
	}
	h.dirty = h.dirty[:0]
	if h.readers == 0 {
		return nil
	}
	out := h.newValues()
	for c := Put; c <= Remove; c++ {
		for slots := range chunks(by[c], partRows) {
			out = append(out, h.frame(c, slots))
		}
	}
	return out
}
