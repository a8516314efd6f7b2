package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Settings of a Hub. The zero value works.
type Settings struct {
	// Size is how many points are kept, DefaultSize for 0. Base is how many more there are
	// below them, of those that the map was learnt from.
	Size, Base int
	// Every is how often changes are handed out by Run, 200 ms for 0.
	Every time.Duration
	// Most is how many points a delta has at most, 8192 for 0: a stream that changes more of them
	// reaches readers later, each point as it is by then. Of more than eight readers each gets so
	// much less that together they get what eight would. So what readers cost is bounded.
	Most int
	// Log bounds the bytes of deltas that are kept for readers, 32 MiB for 0.
	Log int
	// Vectors bounds the bytes of the vectors of points that are kept for who asks, 0 for none.
	Vectors int
	// Held bounds the bytes of encodings that are held for readers beside the log, EncodedBytes of
	// all points for 0. One encoding that alone is larger is held alone.
	Held int
	// Title names what is shown.
	Title string
	// Live says that points come and go: readers expect changes.
	Live bool
	// Asks says that readers can ask where rows would go.
	Asks bool
}

// DefaultSize is how many points a hub keeps that nobody has set another number for.
const DefaultSize = 200_000

// fullReaders get as much as there is; more share it.
const fullReaders = 8

// frameRows is how many rows a message has at most.
const frameRows = 1 << 13

// Hub keeps points for readers. It is safe for concurrent use.
type Hub struct {
	set Settings

	mu   sync.Mutex
	base *base
	ring *ring
	// dirty are the slots that changed since the last tick, and how.
	dirty []uint32
	state []Change // by slot; 0: unchanged
	// generation counts the times that readers have to begin again.
	generation uint64
	// announced is how many values of each column readers know of.
	announced []int
	// m is the map that is shown: all places are on it. path leads there from the maps before.
	m      MapState
	path   path
	status []byte
	// clusters are what is known of those, clustersText the message of it; nil: there is none.
	clusters     Clusters
	clustersText []byte
	log          deltaLog
	readers      int
	encoded      encodings
	// woken is closed when there is something new for readers.
	woken chan struct{}
}

// MapState is the map that places are on. The zero value stands for the map that is shown.
type MapState struct {
	ID      string `json:"id,omitempty"`
	Epoch   uint32 `json:"epoch,omitempty"`
	Version uint64 `json:"version,omitempty"`
}

// New makes a hub.
func New(s Settings) *Hub {
	s.Size = cmp.Or(max(s.Size, 0), DefaultSize)
	s.Every = cmp.Or(max(s.Every, 0), 200*time.Millisecond)
	s.Most = cmp.Or(max(s.Most, 0), 8192)
	s.Log = cmp.Or(max(s.Log, 0), 32<<20)
	s.Base = max(s.Base, 0)
	s.Held = cmp.Or(max(s.Held, 0), EncodedBytes(s.Size+s.Base))
	none := Clusters{Living: []Cluster{}, Events: []ClusterEvent{}}
	return &Hub{set: s, clusters: none, base: newBase(s.Base), ring: newRing(s.Size), encoded: newEncodings(s.Held), woken: make(chan struct{})}
}

// Put takes points that come. Places on a map before the one that is shown are led through all
// changes since; where these are not known the points are left out, since nothing says where they
// belong. An error is about rows whose parts differ in length.
func (h *Hub) Put(in Rows) error {
	if err := in.check(); err != nil {
		return err
	}
	version := in.Map.Version
	if !h.lockAt(&in) {
		return nil
	}
	defer h.mu.Unlock()
	h.encoded.changes++
	if in.Map == (MapState{}) {
		version = h.m.Version
	}
	sources, again := h.ring.sources(&in)
	slots := make([]int32, len(in.X))
	keep := h.ring.keepVectors(h.set.Vectors, in.Vectors)
	for i := range in.X {
		slots[i] = none
		if !finite(in.X[i], in.Y[i]) {
			continue
		}
		id := ""
		if in.ID.Valid() && !in.ID.IsNull(i) {
			id = clip(in.ID.Text(i))
		}
		s := h.ring.claim(id)
		h.ring.x[s], h.ring.y[s], h.ring.at[s], h.ring.version[s] = in.X[i], in.Y[i], in.At, version
		slots[i] = int32(s)
		if keep && id != "" {
			h.ring.vectors.put(s, in.Vectors.Row(i))
		}
		h.touch(s, Put)
	}
	// A slot that two rows have got is the later one's.
	for k, c := range h.ring.columns {
		if !c.fill(slots, &sources[k]) {
			again = true
		}
	}
	if again {
		h.restart()
	}
	return nil
}

// lockAt takes the lock with rows whose places are on the map that is shown: those on a map before it
// are led there, without the lock. It reports false, without the lock, if the way is not known.
func (h *Hub) lockAt(in *Rows) bool {
	for at := in.Map; ; {
		h.mu.Lock()
		if at == h.m || at == (MapState{}) {
			return true
		}
		steps, known := h.path.since(at)
		to := h.m
		h.mu.Unlock()
		if !known {
			return false
		}
		in.X, in.Y = steps.carry(in.X, in.Y)
		at = to // the map may have changed meanwhile
	}
}

// Remove takes points out, by their ids. Ids that are not there do nothing.
func (h *Hub) Remove(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.encoded.changes++
	for _, id := range ids {
		if s, there := h.ring.remove(clip(id)); there {
			h.touch(s, Remove)
		}
	}
}

// Refresh puts all points on another map: move, if not nil, says where those of the ring go
// (it is called while others put and remove points), and where places go that come late, on the
// map before. With nil the points stay where they are, and late places are left out. Points of the
// base that have left leave, others come or move. One call is made at a time, and before anything
// is put that is on the new map.
func (h *Hub) Refresh(to MapState, b Base, move func(x, y float32) (float32, float32)) {
	next := step{move: move, bytes: stepBytes * len(b.Keys)}
	var x, y, nx, ny []float32
	if move != nil {
		h.mu.Lock()
		x, y = slices.Clone(h.ring.x), slices.Clone(h.ring.y)
		h.mu.Unlock()
		nx, ny = path{next}.carry(x, y)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if move == nil {
		h.path = nil
	} else {
		next.from = h.m
		h.path = h.path.with(next)
		h.move(move, x, y, nx, ny)
	}
	h.m = to
	h.encoded.outdate()
	put, gone := h.base.replace(b)
	messages := h.moves()
	if h.readers > 0 {
		// Slots that are freed may be those of new points: first they are freed.
		for slots := range chunks(gone, frameRows) {
			messages = append(messages, removal(slots))
		}
		for slots := range chunks(put, frameRows) {
			messages = append(messages, h.baseFrame(slots))
		}
	}
	h.post(append(messages, Message{Text: true, Data: encode(mapMessage{"map", to})})...)
}

// move moves all points of the ring: a slot that is still at x and y goes to nx and ny. What has been
// put since then is on the map before as well, and is moved now. The lock is held.
func (h *Hub) move(move func(x, y float32) (float32, float32), x, y, nx, ny []float32) {
	r := h.ring
	for s, used := range r.used {
		if !used {
			continue
		}
		var tx, ty float32
		if s < len(x) && r.x[s] == x[s] && r.y[s] == y[s] {
			tx, ty = nx[s], ny[s]
		} else {
			tx, ty = move(r.x[s], r.y[s])
		}
		if finite(tx, ty) {
			r.x[s], r.y[s] = tx, ty
			h.touch(uint32(s), Move)
		}
	}
}

// Clear takes all points out but those of the base.
func (h *Hub) Clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	size := h.ring.size
	h.ring = newRing(size)
	h.announced, h.dirty, h.state = nil, nil, nil
	h.path = nil
	h.restart()
}

// Tick hands out what has changed since the last one.
func (h *Hub) Tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.post(h.tick()...)
	h.encoded.tick()
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
		h.dirty, h.state[s] = append(h.dirty, s), c
	case was == Put && c == Move:
	default:
		h.state[s] = c
	}
}

// restart makes all readers begin again.
func (h *Hub) restart() {
	h.generation++
	h.encoded.outdate()
	h.wake()
}

// wake lets readers look.
func (h *Hub) wake() {
	close(h.woken)
	h.woken = make(chan struct{})
}

// post hands messages to readers. The lock is held.
func (h *Hub) post(messages ...Message) {
	if h.readers == 0 {
		h.log.clear(&h.encoded)
		return
	}
	for _, m := range messages {
		h.log.add(h.set.Log, m, &h.encoded)
	}
	if len(messages) > 0 {
		h.wake()
	}
}

// tick returns the messages of what has changed, of the points that have waited longest. The
// lock is held.
func (h *Hub) tick() []Message {
	if h.readers == 0 {
		h.settle()
		return nil
	}
	var by [Remove + 1][]uint32
	n := min(len(h.dirty), max(h.set.Most*fullReaders/max(h.readers, fullReaders), 1))
	for _, s := range h.dirty[:n] {
		if c := h.state[s]; c != 0 { // else it has been handed out
			by[c] = append(by[c], s)
			h.state[s] = 0
		}
	}
	if h.dirty = h.dirty[n:]; len(h.dirty) == 0 {
		h.dirty = nil
	}
	if n == 0 {
		return nil
	}
	out := h.newValues()
	for c := Put; c <= Remove; c++ {
		for slots := range chunks(by[c], frameRows) {
			out = append(out, h.frame(c, slots))
		}
	}
	return out
}

// moves are the messages of points that did nothing but move, all at once. The lock is held.
func (h *Hub) moves() (out []Message) {
	var moved []uint32
	for _, s := range h.dirty {
		if h.state[s] == Move {
			moved = append(moved, s)
			h.state[s] = 0
		}
	}
	h.dirty = slices.DeleteFunc(h.dirty, func(s uint32) bool { return h.state[s] == 0 })
	if h.readers > 0 {
		for slots := range chunks(moved, frameRows) {
			out = append(out, h.frame(Move, slots))
		}
	}
	return out
}

// settle forgets what has changed: nobody waits for it.
func (h *Hub) settle() {
	for _, s := range h.dirty {
		h.state[s] = 0
	}
	h.dirty = nil
}
