package view

import (
	"errors"
	"io"
	"iter"
	"time"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Dump is an Arrow stream of all points, encoded once for all requests with the same state. Its
// batches have the columns id, x, y, at (milliseconds since 1970) and then the points' columns
// under their own names, with "_" appended to a name that is already used. A column with a number
// or time that a float64 would round has text. Call Release after use.
type Dump struct {
	// Map is the map of all places in the dump.
	Map MapState
	h   *Hub
	// pieces holds the encoded bytes, size their number.
	pieces [][]byte
	size   int
	// users is the number of requests that are sending it. changes is the hub's count of changes
	// when the dump was made, at that time.
	users   int
	changes uint64
	at      time.Time
}

// ErrBusy is returned when other readers use all memory allowed for encodings. The request may be
// repeated later.
var ErrBusy = errors.New("view: as much is being sent as may be; ask again later")

// freshFor is the time for which a dump is returned although points have changed since. Making a
// new one blocks writers.
const freshFor = time.Second

// Dump returns all points, or ErrBusy.
func (h *Hub) Dump() (*Dump, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &h.encoded
	if d := e.dump; d != nil && (d.changes == e.changes || h.set.Live && d.Map == h.m && time.Since(d.at) < freshFor) {
		d.users++
		return d, nil
	}
	if !e.room(e.perPoint * h.ring.n) {
		return nil, ErrBusy
	}
	d := &Dump{Map: h.m, h: h, users: 1, changes: e.changes, at: time.Now()}
	if err := emit.WriteTables(d, h.tables()); err != nil {
		return nil, err
	}
	e.perPoint = d.size/max(h.ring.n, 1) + 1
	e.drop()
	e.held += d.size
	e.dump = d
	return d, nil
}

// drop removes the dump so that another can be made. Its bytes count until it is no longer being
// sent.
func (e *encodings) drop() {
	if d := e.dump; d != nil && d.users == 0 {
		e.held -= d.size
	}
	e.dump = nil
}

// tick drops the dump if it is not being sent and no longer fresh.
func (e *encodings) tick() {
	if d := e.dump; d != nil && d.users == 0 && time.Since(d.at) >= freshFor {
		e.drop()
	}
}

// Release ends the use of a dump.
func (d *Dump) Release() {
	h, e := d.h, &d.h.encoded
	h.mu.Lock()
	defer h.mu.Unlock()
	switch d.users--; {
	case d.users > 0:
		return
	case d != e.dump:
		e.held -= d.size
	case !h.set.Live:
		e.drop() // nothing ticks
	}
	if e.awaited {
		e.awaited = false
		h.wake()
	}
}

// Size returns the number of bytes that WriteTo writes.
func (d *Dump) Size() int { return d.size }

// WriteTo implements io.WriterTo.
func (d *Dump) WriteTo(w io.Writer) (n int64, err error) {
	for _, p := range d.pieces {
		k, err := w.Write(p)
		if n += int64(k); err != nil {
			return n, err
		}
	}
	return n, nil
}

// pieceBytes is the size of a dump's pieces; in pieces, a dump grows without copying.
const pieceBytes = 256 << 10

// Write implements io.Writer, for the encoder that makes the dump.
func (d *Dump) Write(b []byte) (int, error) {
	n := len(b)
	d.size += n
	for len(b) > 0 {
		last := len(d.pieces) - 1
		if last < 0 || len(d.pieces[last]) == cap(d.pieces[last]) {
			d.pieces = append(d.pieces, make([]byte, 0, pieceBytes))
			last++
		}
		p := d.pieces[last]
		k := min(len(b), cap(p)-len(p))
		d.pieces[last], b = append(p, b[:k]...), b[k:]
	}
	return n, nil
}

// tables yields all points in batches. The hub's lock must be held.
func (h *Hub) tables() iter.Seq2[*table.Table, error] {
	return func(yield func(*table.Table, error) bool) {
		used := h.ring.used
		slots := make([]uint32, 0, frameRows)
		for s, begun := 0, false; s < len(used) || !begun; {
			for slots = slots[:0]; s < len(used) && len(slots) < frameRows; s++ {
				if used[s] {
					slots = append(slots, uint32(s))
				}
			}
			if len(slots) == 0 && begun {
				return
			}
			begun = true
			if !yield(h.table(slots)) {
				return
			}
		}
	}
}

// table returns the points of the given slots as a table. The hub's lock must be held.
func (h *Hub) table(slots []uint32) (*table.Table, error) {
	r := h.ring
	columns := []table.Column{
		table.StringColumn("id", vec.Pick(r.id, slots)), table.Float32Column("x", vec.Pick(r.x, slots)),
		table.Float32Column("y", vec.Pick(r.y, slots)), table.Float64Column("at", vec.Pick(r.at, slots)),
	}
	taken := map[string]bool{"id": true, "x": true, "y": true, "at": true}
	for _, c := range r.columns {
		name := c.Name
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		columns = append(columns, c.wholly(name, slots))
	}
	return table.NewTable(table.Origin{}, columns...)
}
