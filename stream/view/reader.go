package view

import (
	"context"
	"time"
)

// deltaLog holds the last messages for all readers, numbered from first.
type deltaLog struct {
	first    uint64
	messages []Message
	bytes    int
}

// end is the number behind the last message.
func (l *deltaLog) end() uint64 { return l.first + uint64(len(l.messages)) }

// add appends a message, and drops old ones beyond so many bytes.
func (l *deltaLog) add(most int, m Message) {
	l.messages = append(l.messages, m)
	l.bytes += len(m.Data)
	drop := 0
	for l.bytes > most && drop < len(l.messages)-1 {
		l.bytes -= len(l.messages[drop].Data)
		l.messages[drop] = Message{}
		drop++
	}
	l.first, l.messages = l.first+uint64(drop), l.messages[drop:]
}

// clear forgets the messages.
func (l *deltaLog) clear() { l.first, l.messages, l.bytes = l.end(), nil, 0 }

// Reader gets the whole, then every change. It belongs to one goroutine.
type Reader struct {
	h          *Hub
	generation uint64
	// next is the number of the next delta; from the next slot of the whole, none if it
	// is handed over.
	next    uint64
	from    int // over the base's slots, then the ring's
	waiting []Message
	begun   bool
	closed  bool
	// Restarts is how often it had to begin again.
	Restarts int
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
	if r.h.readers--; r.h.readers == 0 {
		r.h.log.clear()
	}
}

// Next returns the next message; it waits for one until the context is done.
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

// poll returns the next message, or what to wait for.
func (r *Reader) poll() (Message, bool, <-chan struct{}) {
	h := r.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if !r.begun || r.generation != h.generation || r.next < h.log.first {
		r.begin()
	}
	switch {
	case len(r.waiting) > 0:
		m := r.waiting[0]
		r.waiting = r.waiting[1:]
		return m, true, nil
	case r.from != none:
		if m, ok := r.part(); ok {
			return m, true, nil
		}
		r.from = none
		return Message{Text: true, Data: []byte(`{"type":"whole"}`)}, true, nil
	case r.next < h.log.end():
		m := h.log.messages[r.next-h.log.first]
		r.next++
		return m, true, nil
	}
	return Message{}, false, h.woken
}

// begin lets a reader begin: it hears what there is, then the whole. The hub's lock is held.
func (r *Reader) begin() {
	h := r.h
	if r.begun {
		r.Restarts++
	}
	r.begun, r.generation, r.next, r.from = true, h.generation, h.log.end(), 0
	greeting := hello{"hello", h.set.Title, h.set.Live, h.set.Asks, h.set.Size, h.set.Base, h.ring.n, h.set.Base + len(h.ring.x), h.m, []Field{}}
	for _, c := range h.ring.columns {
		greeting.Columns = append(greeting.Columns, c.Field)
	}
	r.waiting = []Message{{Text: true, Data: encode(greeting)}}
	for i, c := range h.ring.columns {
		if len(c.values) > 0 {
			r.waiting = append(r.waiting, c.message(i, 0))
		}
	}
	if h.clustersText != nil {
		r.waiting = append(r.waiting, Message{Text: true, Data: h.clustersText})
	}
	if h.status != nil {
		r.waiting = append(r.waiting, Message{Text: true, Data: h.status})
	}
}

// part is the next part of the whole, and the values that it may need. The hub's lock is
// held.
func (r *Reader) part() (Message, bool) {
	h := r.h
	slots := some(&r.from, 0, h.base.used)
	if len(slots) > 0 {
		return h.baseFrame(slots), true
	}
	if slots = some(&r.from, h.set.Base, h.ring.used); len(slots) == 0 {
		return Message{}, false
	}
	// Values that came since it began are in a delta that is still to come, or is pending.
	return h.frame(Put, slots), true
}

// some lists the next slots that are used, of those numbered from first on, and moves from
// behind them.
func some(from *int, first int, used []bool) (slots []uint32) {
	for *from = max(*from, first); *from-first < len(used) && len(slots) < partRows; *from++ {
		if used[*from-first] {
			slots = append(slots, uint32(*from-first))
		}
	}
	return slots
}

// Run hands out changes every Settings.Every until the context is done.
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
