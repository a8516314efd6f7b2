package view

import (
	"context"
	"math/rand/v2"
	"time"
)

// deltaLog holds the last messages for all readers, with consecutive numbers from first.
type deltaLog struct {
	first    uint64
	messages []Message
	bytes    int
	// total is the number of bytes of all messages so far, including dropped ones.
	total int
}

// end returns the number that follows the last message.
func (l *deltaLog) end() uint64 { return l.first + uint64(len(l.messages)) }

// add appends a message and drops the oldest ones beyond most bytes.
func (l *deltaLog) add(most int, m Message, e *encodings) {
	m.share = &share{bytes: len(m.Data), kept: true}
	l.messages = append(l.messages, m)
	l.bytes, l.total = l.bytes+len(m.Data), l.total+len(m.Data)
	drop := 0
	for l.bytes > most && drop < len(l.messages)-1 {
		l.bytes -= len(l.messages[drop].Data)
		e.left(l.messages[drop].share)
		l.messages[drop] = Message{}
		drop++
	}
	l.first, l.messages = l.first+uint64(drop), l.messages[drop:]
}

// clear drops the messages.
func (l *deltaLog) clear(e *encodings) {
	for _, m := range l.messages {
		e.left(m.share)
	}
	l.first, l.messages, l.bytes = l.end(), nil, 0
}

// Reader first gets the full state, then every change. It must be used by one goroutine only.
type Reader struct {
	h          *Hub
	generation uint64
	// intro is the number of introductory messages already sent before the full state.
	intro int
	// next is the number of the next delta, news the number of the first one after the reader
	// started. from is the next slot of the full state, or none once that is complete.
	next, news uint64
	from       int // over the base's slots, then the ring's
	// sampled is set when the sample of all points has been sent. It precedes the parts.
	sampled bool
	begun   bool
	closed  bool
	// sending counts the holders of the message returned last.
	sending *share
}

// Join begins to read. Close the reader.
func (h *Hub) Join() *Reader {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.readers++
	return &Reader{h: h}
}

// Close ends reading.
func (r *Reader) Close() {
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	r.sent()
	if r.h.readers--; r.h.readers == 0 {
		r.h.log.clear(&r.h.encoded)
		r.h.encoded.clear()
	}
}

// Next returns the next message and waits for one until the context is done. A call of Next implies
// that the previous message has been sent.
func (r *Reader) Next(ctx context.Context) (Message, error) {
	for {
		m, ok, wait := r.poll()
		if ok {
			return m, nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return Message{}, ctx.Err()
		}
	}
}

// sent releases the message returned last. The hub's lock must be held.
func (r *Reader) sent() {
	if s := r.sending; s != nil {
		r.sending = nil
		if r.h.encoded.end(s) {
			r.h.encoded.awaited = false
			r.h.wake()
		}
	}
}

// send records the message as being sent and returns it. The hub's lock must be held.
func (r *Reader) send(m Message) (Message, bool, <-chan struct{}) {
	if m.share != nil {
		r.h.encoded.begin(m.share)
		r.sending = m.share
	}
	return m, true, nil
}

// poll returns the next message, or the channel to wait for.
func (r *Reader) poll() (Message, bool, <-chan struct{}) {
	h := r.h
	h.mu.Lock()
	defer h.mu.Unlock()
	r.sent()
	if !r.begun || r.generation != h.generation || r.next < h.log.first {
		r.begin()
	}
	if m, ok := r.introduction(); ok {
		return r.send(m)
	}
	if r.from != none {
		m, ok, more := r.part()
		switch {
		case ok:
			return r.send(m)
		case more:
			h.encoded.awaited = true
			return Message{}, false, h.woken
		}
		r.from = none
		return Message{Text: true, Data: []byte(`{"type":"whole"}`)}, true, nil
	}
	for r.next < h.log.end() {
		m := h.log.messages[r.next-h.log.first]
		r.next++
		// Text messages from before the reader started are already in its introduction.
		if !m.Text || r.next > r.news {
			return r.send(m)
		}
	}
	return Message{}, false, h.woken
}

// begin starts the reader, or starts it again, at the present state. The hub's lock must be held.
func (r *Reader) begin() {
	h := r.h
	r.begun, r.generation, r.next, r.news, r.from, r.intro, r.sampled = true, h.generation, h.log.end(), h.log.end(), 0, 0, false
}

// introduction returns the next message before the full state: the greeting, the columns' values,
// clusters and status. Each is made with the state at that time, so that a slow reader holds only
// one. The hub's lock must be held.
func (r *Reader) introduction() (Message, bool) {
	h := r.h
	for {
		k := r.intro - 1 // the column
		switch {
		case k < 0:
			r.intro++
			return h.greeting(), true
		case k < len(h.ring.columns):
			r.intro++
			if c := h.ring.columns[k]; len(c.values) > 0 {
				return c.allValues(k), true
			}
		case k == len(h.ring.columns):
			r.intro++
			if h.clustersText != nil {
				return Message{Text: true, Data: h.clustersText}, true
			}
		case k == len(h.ring.columns)+1:
			r.intro++
			if h.status != nil {
				return Message{Text: true, Data: h.status}, true
			}
		default:
			return Message{}, false
		}
	}
}

// greeting returns the first message. The lock must be held.
func (h *Hub) greeting() Message {
	greeting := hello{
		Type: "hello", Title: h.set.Title, Live: h.set.Live, Asks: h.set.Asks, Size: h.set.Size, Base: h.set.Base, Points: h.ring.n,
		Slots: h.set.Base + len(h.ring.x), Map: h.m, Columns: []Field{}, Unplaced: h.unplaced, Point: h.set.Point, Label: h.set.Label,
		Pictures: h.set.Pictures, PicturesFrom: h.set.PicturesFrom,
	}
	if h.set.Image != (Image{}) {
		greeting.Image = &h.set.Image
	}
	for _, c := range h.ring.columns {
		greeting.Columns = append(greeting.Columns, c.Field)
	}
	return Message{Text: true, Data: encode(greeting)}
}

// part returns the next part of the full state. It reuses a part made for another reader if the log
// still has all changes since; otherwise it makes a new one. The result more is true if there is a
// next part but no room for it yet. The hub's lock must be held.
func (r *Reader) part() (m Message, ok, more bool) {
	h, e := r.h, &r.h.encoded
	if m, ok, more := r.sample(); ok || more {
		return m, ok, more
	}
	for {
		first, used := 0, h.base.used
		if r.from >= len(used) {
			first, used = h.set.Base, h.ring.used
			r.from = max(r.from, first)
		}
		if r.from-first >= len(used) {
			return Message{}, false, false
		}
		if p := e.parts[r.from]; p != nil && h.recent(p) {
			// Changes logged since the part was made follow after the full state.
			r.from, r.next = p.to, min(r.next, p.at)
			return p.Message, true, false
		}
		to := min(r.from+e.rows-(r.from-first)%e.rows, first+len(used))
		slots := usedOf(used, r.from-first, to-first)
		if len(slots) == 0 {
			r.from = to
			continue
		}
		if !e.room(e.usual) {
			return Message{}, false, true
		}
		// Category values added since the reader started are in a later delta, or still pending.
		p := &part{to: to, at: h.log.end(), total: h.log.total}
		if first == 0 && h.set.Base > 0 {
			p.Message = h.baseFrame(slots)
		} else {
			p.Message = h.frame(Put, slots)
		}
		e.keep(r.from, p)
		r.from = p.to
		return p.Message, true, false
	}
}

// sampleRows is the number of points of the sample. A sample of more than sampleBytes is reduced to
// about this size, which takes 0.6 s at 50 kB/s: with the round trips before it, a known page shows
// it within 3 s on slow 3G.
const (
	sampleRows  = 1500
	sampleBytes = 30 << 10
)

// sampleKey is the key of the sample among the parts, which have the numbers of slots.
const sampleKey = -1

// sample returns a part with points from the whole ring if the full state is much larger, or if the
// base comes before the ring. With it, a page on a slow connection shows the whole map at once, and
// the first points of a live page have colours, which those of the base lack. Later parts contain
// these points again. The results are those of part. The hub's lock must be held.
func (r *Reader) sample() (m Message, ok, more bool) {
	h, e := r.h, &r.h.encoded
	if n := h.ring.n; r.sampled || n == 0 || n < 4*sampleRows && len(h.base.used) == 0 {
		return Message{}, false, false
	}
	rows := min(h.ring.n, sampleRows)
	p := e.parts[sampleKey]
	if p == nil || !h.recent(p) {
		if !e.room(min(e.usual, partBytes)) {
			return Message{}, false, true
		}
		p = &part{at: h.log.end(), total: h.log.total}
		p.Message = h.frame(Put, spread(h.ring.used, h.ring.n, rows))
		if n := len(p.Data); n > sampleBytes {
			p.Message = h.frame(Put, spread(h.ring.used, h.ring.n, max(rows*sampleBytes/n, 1)))
		}
		e.store(sampleKey, p)
	}
	r.sampled = true
	r.next = min(r.next, p.at)
	return p.Message, true, false
}

// spread returns k of the n used slots, k <= n: a random one of each n/k, always the same ones. A
// regular step would miss whole classes where rows alternate between them.
func spread(used []bool, n, k int) (slots []uint32) {
	draw := rand.New(rand.NewPCG(1, 1))
	// seen counts the used slots. Part i of them begins at begin; pick is the chosen one in it.
	seen, begin, pick := 0, 0, -1
	for s, is := range used {
		if !is {
			continue
		}
		if seen == begin {
			begin = (len(slots) + 1) * n / k
			pick = seen + draw.IntN(begin-seen)
		}
		if seen == pick {
			slots = append(slots, uint32(s))
		}
		seen++
	}
	return slots
}

// recentShare is a divisor: a part is shared only if the changes since take at most this fraction
// of the log's bytes. After more changes a new part is less work for readers.
const recentShare = 8

// recent reports whether a part can still be shared. The lock must be held.
func (h *Hub) recent(p *part) bool {
	return p.at >= h.log.first && h.log.total-p.total <= h.set.Log/recentShare
}

// usedOf returns the used slots in from..to-1.
func usedOf(used []bool, from, to int) (slots []uint32) {
	for s := from; s < min(to, len(used)); s++ {
		if used[s] {
			slots = append(slots, uint32(s))
		}
	}
	return slots
}

// Run calls Tick every Settings.Every until the context is done.
func (h *Hub) Run(ctx context.Context) {
	t := time.NewTicker(h.set.Every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			h.Tick()
		}
	}
}
