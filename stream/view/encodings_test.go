package view

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
)

// numbered returns n points with consecutive ids from first.
func numbered(first, n int) Rows {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = strconv.Itoa(first + i)
	}
	return rowsOf(ids, first)
}

// filled is a hub of n points.
func filled(t *testing.T, s Settings, n int) *Hub {
	t.Helper()
	s.Size = n
	h := New(s)
	if err := h.Put(numbered(0, n)); err != nil {
		t.Fatal(err)
	}
	return h
}

// whole reads messages until the full state has arrived.
func whole(t *testing.T, r *Reader) (all []Message) {
	t.Helper()
	for {
		m, ok, _ := r.poll()
		if !ok {
			t.Fatalf("a reader waits after %d messages", len(all))
		}
		if all = append(all, m); m.Text && string(m.Data) == `{"type":"whole"}` {
			return all
		}
	}
}

// Readers of the same state share its bytes. After the readers have left, no bytes are held.
func TestReadersShareTheWhole(t *testing.T) {
	h := filled(t, Settings{}, 3*frameRows)
	a, b := h.Join(), h.Join()
	first, second := whole(t, a), whole(t, b)
	parts := 0
	for i, m := range first {
		if m.Text {
			continue
		}
		if parts++; &m.Data[0] != &second[i].Data[0] {
			t.Errorf("message %d is encoded twice", i)
		}
	}
	if parts != 4 {
		t.Errorf("%d parts, want a sample and 3", parts)
	}
	a.Close()
	b.Close()
	if h.encoded.held != 0 || len(h.encoded.parts) != 0 {
		t.Errorf("%d bytes are held for nobody", h.encoded.held)
	}
}

// Readers that stop anywhere, while points arrive and maps change, hold no more memory than the
// limit. Other readers continue or wait until the stopped ones leave.
func TestSlowReadersAreBounded(t *testing.T) {
	const most = 1 << 20
	h := filled(t, Settings{Held: most, Log: 1 << 20}, 5*frameRows)
	var slow []*Reader
	for i := range 500 {
		r := h.Join()
		slow = append(slow, r)
		for range i % 11 { // then the reader stops
			if _, ok, _ := r.poll(); !ok {
				break
			}
		}
		if i%25 == 0 {
			h.Refresh(MapState{Version: uint64(i)}, Base{}, func(x, y float32) (float32, float32) { return x + 1, y })
		}
		if i%10 == 0 {
			if err := h.Put(numbered(i, 1000)); err != nil {
				t.Fatal(err)
			}
			h.Tick()
		}
		// Messages that leave the log while they are being sent count as well, and they cannot wait
		// for room.
		if e := &h.encoded; e.held > most+h.set.Log {
			t.Fatalf("%d readers hold %d bytes", i, e.held)
		}
	}
	for _, r := range slow {
		r.Close()
	}
	if h.encoded.held != 0 {
		t.Errorf("%d bytes are held when all have gone", h.encoded.held)
	}
	p := newPage(h)
	defer p.r.Close()
	p.drain(t)
	p.same(t, h)
}

// A reader that finds no room waits, and continues once another reader has sent its message.
func TestReadersWaitForRoom(t *testing.T) {
	h := filled(t, Settings{Held: 1}, 3*frameRows)
	first, second := h.Join(), h.Join()
	defer first.Close()
	defer second.Close()
	take := func(r *Reader) bool {
		for {
			m, ok, _ := r.poll()
			if !ok || !m.Text {
				return ok
			}
		}
	}
	if !take(first) { // its first part is under way
		t.Fatal("a lonely reader waits")
	}
	if !take(second) {
		t.Fatal("what is shared takes no more room")
	}
	if take(second) {
		t.Fatal("the second part is made beside the first")
	}
	_, _, wait := second.poll()
	for take(first) && h.encoded.awaited {
	}
	select {
	case <-wait:
	default:
		t.Error("nobody wakes the reader that waits")
	}
}

// All requests for the same state get the same dump. A dump of another state is refused while
// earlier ones use all allowed memory.
func TestDumpsAreShared(t *testing.T) {
	h := filled(t, Settings{}, 3*frameRows)
	dump := func() *Dump {
		t.Helper()
		d, err := h.Dump()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	a, b := dump(), dump()
	if a != b {
		t.Error("one state is encoded twice")
	}
	var text bytes.Buffer
	if n, err := a.WriteTo(&text); err != nil || int(n) != a.Size() || text.Len() != a.Size() {
		t.Errorf("%d bytes of %d, %v", n, a.Size(), err)
	}
	rows, err := new(arrowfmt.Decoder).Decode(text.Bytes(), table.Origin{})
	if err != nil || rows.Len() != 3*frameRows {
		t.Fatalf("%v, %v", rows, err)
	}
	seen := map[string]bool{}
	for i := range rows.Len() {
		c, _ := rows.Column("id")
		seen[c.Text(i)] = true
	}
	if len(seen) != 3*frameRows {
		t.Errorf("%d ids of %d rows", len(seen), rows.Len())
	}
	h.set.Held, h.encoded.most = a.Size(), a.Size()
	if err := h.Put(numbered(0, 1)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Dump(); !errors.Is(err, ErrBusy) {
		t.Errorf("a second one beside the first: %v", err)
	}
	a.Release()
	b.Release()
	c := dump()
	if c == a {
		t.Error("points have changed, and the dump has not")
	}
	c.Release()
	if h.encoded.held != 0 {
		t.Errorf("%d bytes are held for nobody", h.encoded.held)
	}
}

// Points with long texts are sent in parts with fewer rows.
func TestWideParts(t *testing.T) {
	h := New(Settings{Size: 16_000})
	for k := range 16 {
		in := numbered(1000*k, 1000)
		text := make([]string, 1000)
		for i := range text {
			text[i] = fmt.Sprintf("%0*d", mostBytes-1, 1000*k+i)
		}
		in.Columns = append(in.Columns, table.StringColumn("text", text), table.StringColumn("more", text))
		if err := h.Put(in); err != nil {
			t.Fatal(err)
		}
	}
	r := h.Join()
	defer r.Close()
	large := 0
	for _, m := range whole(t, r) {
		if len(m.Data) > partBytes {
			large++
		}
	}
	if large > 4 {
		t.Errorf("%d parts are of more than %d bytes", large, partBytes)
	}
	again := newPage(h)
	defer again.r.Close()
	again.drain(t)
	again.same(t, h)
}
