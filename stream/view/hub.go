package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Settings of a Hub. The zero value is usable.
type Settings struct {
	// Size is the number of points kept, DefaultSize for 0. Base is the number of further points
	// that can be kept of those that the map was learnt from.
	Size, Base int
	// Every is the interval at which Run sends changes, 200 ms for 0.
	Every time.Duration
	// Most is the maximum number of points in one delta, 8192 for 0. If a stream changes more,
	// readers get the changes later, with each point's state at that time. With more than eight
	// readers the limit per reader shrinks so that all together get as much as eight, which bounds
	// the total cost.
	Most int
	// Log bounds the bytes of deltas kept for readers, 32 MiB for 0.
	Log int
	// Vectors bounds the bytes of the vectors kept for requests by id; 0 keeps none.
	Vectors int
	// Held bounds the bytes of encodings kept for readers in addition to the log; 0 means
	// EncodedBytes of all points. A single encoding that is larger is still held, but alone.
	Held int
	// Label is the column with the known classes of points, "" if there is none.
	Label string
	// Title is the title of the page. Point is the name of one point, such as "connection". If it
	// is "", pages use "row".
	Title, Point string
	// Image is the size of pictures, if the points' vectors are the pixels of pictures. The zero
	// value means unknown.
	Image Image
	// Pictures is set if the server of the page has pictures of points, by their ids. PicturesFrom
	// are the origins, such as https://example.org, from which the page may load the pictures whose
	// addresses are values of points.
	Pictures     bool
	PicturesFrom []string
	// Live is set if points arrive and leave, so that readers expect changes.
	Live bool
	// Asks is set if readers can request places for rows of their own.
	Asks bool
}

// DefaultSize is the default number of points that a hub keeps.
const DefaultSize = 200_000

// fullReaders is the number of readers that get deltas of full size; more readers share that
// amount.
const fullReaders = 8

// frameRows is the maximum number of rows of a message.
const frameRows = 1 << 13

// Hub keeps points and sends them to readers. It is safe for concurrent use.
type Hub struct {
	set Settings

	mu   sync.Mutex
	base *base
	ring *ring
	// dirty lists the slots that changed since the last tick; state has the kind of change of each
	// slot.
	dirty []uint32
	state []Change // by slot; 0: unchanged
	// generation is incremented whenever all readers have to start again.
	generation uint64
	// announced is the number of values of each column that readers have been sent.
	announced []int
	// m is the map that is shown, to which all places belong. path holds the changes from earlier
	// maps to it.
	m    MapState
	path path
	// past holds the places on earlier versions of the map, ways the centres of categories on them,
	// oldest first.
	past   []past
	ways   []centres
	status []byte
	// clusters is the cluster information, clustersText its message, or nil if there is none.
	clusters     Clusters
	clustersText []byte
	// unplaced counts the rows without a place. unplacedSent is the last count that was sent to
	// readers.
	unplaced, unplacedSent int
	log                    deltaLog
	readers                int
	encoded                encodings
	// woken is closed when there are new messages for readers.
	woken chan struct{}
}

// MapState identifies the map that places belong to. The zero value stands for the map that is
// shown.
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

// Put adds points. Places on an earlier map are moved through all changes of the map since. If
// these are unknown, the points are dropped, because their position cannot be determined. Dropped
// points and rows without a place are counted for readers. Put returns an error if the parts of the
// rows differ in length.
func (h *Hub) Put(in Rows) error {
	if err := in.check(); err != nil {
		return err
	}
	version := in.Map.Version
	if !h.lockAt(&in) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.unplaced += len(in.X)
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
	ids := in.ids()
	hashes := h.ring.hashes(ids)
	for i, id := range ids {
		slots[i] = none
		if !finite(in.X[i], in.Y[i]) {
			h.unplaced++
			continue
		}
		s := h.ring.claim(id, hashes[i])
		h.ring.x[s], h.ring.y[s], h.ring.at[s], h.ring.version[s] = in.X[i], in.Y[i], in.At, version
		slots[i] = int32(s)
		if keep && id != "" {
			h.ring.vectors.put(s, in.Vectors.Row(i))
		}
		h.touch(s, Put)
	}
	// If two rows have the same slot, the later row wins.
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

// lockAt takes the lock with in's places on the map that is shown. Places on an earlier map are
// moved to it first, without the lock. If the changes since that map are unknown, lockAt returns
// false and does not hold the lock.
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

// Remove removes points by their ids. Unknown ids are ignored.
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

// Refresh moves all points to the map to. The function move gives the new place of a point of the
// ring, and later also that of a place of the previous map that arrives late; move is called while
// others put and remove points. If move is nil the points keep their places, and late places are
// left out. Points of the base that are not in b are removed, the others are added or moved.
// Refresh must not be called concurrently, and must be called before any point of the new map is
// put.
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
		h.path, h.past, h.ways = nil, nil, nil
	} else {
		next.from = h.m
		h.path = h.path.with(next)
		now := time.Now()
		h.remember(now)
		h.centre(now)
		h.move(move, x, y, nx, ny)
	}
	h.m = to
	h.encoded.outdate()
	put, gone := h.base.replace(b)
	messages := h.moves()
	if h.readers > 0 {
		// Freed slots are sent first, because new points may reuse them.
		for slots := range slices.Chunk(gone, frameRows) {
			messages = append(messages, removal(slots))
		}
		for slots := range slices.Chunk(put, frameRows) {
			messages = append(messages, h.baseFrame(slots))
		}
	}
	h.post(append(messages, Message{Text: true, Data: encode(mapMessage{"map", to})})...)
}

// move moves all points of the ring: a slot that is still at (x, y) goes to (nx, ny). Points put
// since x and y were copied are also on the previous map, and are moved here. The lock must be
// held.
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

// Clear removes all points except those of the base.
func (h *Hub) Clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	size := h.ring.size
	h.ring = newRing(size)
	h.announced, h.dirty, h.state = nil, nil, nil
	h.unplaced, h.unplacedSent = 0, 0
	h.path, h.past, h.ways = nil, nil, nil
	h.restart()
}

// Tick sends the changes since the last tick.
func (h *Hub) Tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.post(h.tick()...)
	h.encoded.tick()
}

// SetStatus sends the page's status, a value that is encoded as a JSON object, to readers.
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

// PicturesFrom returns the origins of pictures in the settings.
func (h *Hub) PicturesFrom() []string { return h.set.PicturesFrom }

// Len returns the number of points, without the base.
func (h *Hub) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ring.n
}

// touch records a change of a slot. The last change between two ticks counts, except that a point that
// was put and then moved counts as put.
func (h *Hub) touch(s uint32, c Change) {
	if h.readers == 0 {
		return // new readers get the full state
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

// wake wakes all waiting readers.
func (h *Hub) wake() {
	close(h.woken)
	h.woken = make(chan struct{})
}

// post adds messages to the log for readers. The lock must be held.
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

// tick returns the messages with the changes of the points that have waited longest. The lock must
// be held.
func (h *Hub) tick() []Message {
	if h.readers == 0 {
		h.settle()
		return nil
	}
	var by [Remove + 1][]uint32
	n := min(len(h.dirty), max(h.set.Most*fullReaders/max(h.readers, fullReaders), 1))
	for _, s := range h.dirty[:n] {
		if c := h.state[s]; c != 0 { // otherwise it was sent already
			by[c] = append(by[c], s)
			h.state[s] = 0
		}
	}
	if h.dirty = h.dirty[n:]; len(h.dirty) == 0 {
		h.dirty = nil
	}
	out := h.newUnplaced()
	if n == 0 {
		return out
	}
	out = append(out, h.newValues()...)
	for c := Put; c <= Remove; c++ {
		for slots := range slices.Chunk(by[c], frameRows) {
			out = append(out, h.frame(c, slots))
		}
	}
	return out
}

// newUnplaced returns a message with the number of rows without a place if it has changed. The lock
// must be held.
func (h *Hub) newUnplaced() []Message {
	if h.unplaced == h.unplacedSent {
		return nil
	}
	h.unplacedSent = h.unplaced
	return []Message{{Text: true, Data: encode(unplacedMessage{"unplaced", h.unplaced})}}
}

// moves returns the messages of all points whose only change is their place. The lock must be held.
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
		for slots := range slices.Chunk(moved, frameRows) {
			out = append(out, h.frame(Move, slots))
		}
	}
	return out
}

// settle discards all recorded changes, for when there are no readers.
func (h *Hub) settle() {
	for _, s := range h.dirty {
		h.state[s] = 0
	}
	h.dirty = nil
}
