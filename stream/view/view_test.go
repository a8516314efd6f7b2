package view

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// point is the state of a slot as a page sees it.
type point struct {
	x, y float32
	id   string
	row  string // the columns' values, as text
}

// page applies a reader's messages as the browser's page does.
type page struct {
	r       *Reader
	points  map[uint32]point
	fields  []Field
	values  map[int][]string
	m       MapState
	status  string
	whole   bool
	begun   int
	decoder arrowfmt.Decoder
	// unplaced is the number of rows without a place, exact has the exact texts of points by id.
	unplaced int
	exact    map[string]string
}

// failing is a *testing.T or a *rapid.T.
type failing interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func newPage(h *Hub) *page { return &page{r: h.Join()} }

// drain reads all available messages.
func (p *page) drain(t failing) {
	t.Helper()
	for {
		m, ok, _ := p.r.poll()
		if !ok {
			return
		}
		p.take(t, m)
	}
}

func (p *page) take(t failing, m Message) {
	t.Helper()
	if !m.Text {
		p.change(t, m.Data)
		return
	}
	var said struct {
		Type    string
		Columns []Field
		Map     MapState
		Column  int
		From    int
		Values  []string
		Status  json.RawMessage

		Unplaced, Rows int
	}
	if err := json.Unmarshal(m.Data, &said); err != nil {
		t.Fatalf("%s: %v", m.Data, err)
	}
	switch said.Type {
	case "hello":
		p.points, p.values, p.fields, p.m, p.whole = map[uint32]point{}, map[int][]string{}, said.Columns, said.Map, false
		p.begun++
		p.unplaced, p.exact = said.Unplaced, map[string]string{}
	case "values":
		known := p.values[said.Column]
		if said.From-1 > len(known) {
			t.Fatalf("values of column %d from %d, known are %d", said.Column, said.From, len(known))
		}
		p.values[said.Column] = append(known[:said.From-1:said.From-1], said.Values...)
	case "unplaced":
		p.unplaced = said.Rows
	case "whole":
		p.whole = true
	case "map":
		p.m = said.Map
	case "status":
		p.status = string(said.Status)
	default:
		t.Fatalf("unknown message %s", m.Data)
	}
}

func (p *page) change(t failing, data []byte) {
	t.Helper()
	tab, err := p.decoder.Decode(data[headBytes:], table.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	floats := func(name string) []float64 {
		c, err := tab.Need(name)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := c.Floats()
		return v
	}
	slots := floats("slot")
	var x, y []float64
	if Change(data[0]) != Remove {
		x, y = floats("x"), floats("y")
	}
	for i, s := range slots {
		at := p.points[uint32(s)]
		switch Change(data[0]) {
		case Remove:
			delete(p.points, uint32(s))
			continue
		case Under:
			at = point{}
		case Put:
			id, _ := tab.Column("id")
			at.id, at.row = id.Text(i), p.row(tab, i)
		}
		at.x, at.y = float32(x[i]), float32(y[i])
		p.points[uint32(s)] = at
	}
}

// row returns a row's columns as text. A code whose value has not arrived yet is written as #code.
func (p *page) row(tab *table.Table, i int) string {
	var parts []string
	for k, f := range p.fields {
		c, _ := tab.Column(name(k))
		text := c.Text(i)
		if f.Kind == Category {
			code, _ := c.Float(i)
			text = fmt.Sprintf("#%v", code)
		}
		parts = append(parts, text)
		if f.Exact {
			id, _ := tab.Column("id")
			text, _ := tab.Column(exactName(k))
			p.exact[id.Text(i)] = text.Text(i)
		}
	}
	return strings.Join(parts, ",")
}

// state returns the state that an up-to-date page should have, from the hub's fields.
func state(h *Hub) map[uint32]point {
	out := map[uint32]point{}
	for s, used := range h.base.used {
		if used {
			out[uint32(s)] = point{x: h.base.x[s], y: h.base.y[s]}
		}
	}
	for s := range h.ring.x {
		if !h.ring.used[s] {
			continue
		}
		var parts []string
		for _, c := range h.ring.columns {
			switch c.Kind {
			case Category:
				parts = append(parts, fmt.Sprintf("#%v", float64(c.codes[s])))
			case Text:
				parts = append(parts, c.texts[s])
			default:
				parts = append(parts, table.Float64Column("", c.numbers[s:s+1]).Text(0))
			}
		}
		out[uint32(s+h.set.Base)] = point{h.ring.x[s], h.ring.y[s], h.ring.id[s], strings.Join(parts, ",")}
	}
	return out
}

func (p *page) same(t failing, h *Hub) {
	t.Helper()
	if !p.whole {
		t.Fatal("the page has not the whole")
	}
	want := state(h)
	if len(want) != len(p.points) {
		t.Fatalf("the page has %d points, the hub %d", len(p.points), len(want))
	}
	for s, w := range want {
		if got := p.points[s]; got != w {
			t.Fatalf("slot %d: the page has %+v, the hub %+v", s, got, w)
		}
	}
	for i, c := range h.ring.columns {
		if got := p.values[i]; strings.Join(got, "|") != strings.Join(c.values, "|") {
			t.Fatalf("column %d: the page knows %q of %q", i, got, c.values)
		}
	}
}

// rowsOf returns rows with ids and one column each of text, whole numbers and fractions.
func rowsOf(ids []string, seed int) Rows {
	n := len(ids)
	in := Rows{ID: table.StringColumn("id", ids), X: make([]float32, n), Y: make([]float32, n), At: float64(seed)}
	kind, whole, part := make([]string, n), make([]int64, n), make([]float64, n)
	for i := range n {
		in.X[i], in.Y[i] = float32(seed+i), float32(seed-i)
		kind[i], whole[i], part[i] = fmt.Sprintf("k%d", (seed+i)%7), int64((seed*3+i)%90), float64(seed)/7
	}
	in.Columns = []table.Column{table.StringColumn("kind", kind), table.Int64Column("whole", whole), table.Float64Column("part", part)}
	return in
}

// After any sequence of changes, and however far a page falls behind, it finally has the hub's
// state; the hub's memory stays within its limits.
func TestPageFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 40).Draw(t, "size")
		h := New(Settings{Size: size, Base: 20, Most: rapid.SampledFrom([]int{2, 1000}).Draw(t, "most"), Log: rapid.SampledFrom([]int{1, 4000, 1 << 20}).Draw(t, "log"), Held: rapid.SampledFrom([]int{1, 3000, 1 << 20}).Draw(t, "held")})
		var pages []*page
		defer func() {
			for _, p := range pages {
				p.r.Close()
			}
		}()
		ids := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g"}), 1, 12)
		seed := 0
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				seed++
				if err := h.Put(rowsOf(ids.Draw(t, "ids"), seed)); err != nil {
					t.Fatal(err)
				}
			},
			"remove": func(t *rapid.T) { h.Remove(ids.Draw(t, "ids")...) },
			"move": func(t *rapid.T) {
				seed++
				var b Base
				for _, k := range rapid.SliceOfNDistinct(rapid.Uint64Range(1, 30), 0, 25, rapid.ID[uint64]).Draw(t, "base") {
					b.Keys, b.X, b.Y = append(b.Keys, k), append(b.X, float32(seed%3)), append(b.Y, float32(k))
				}
				h.Refresh(MapState{Version: uint64(seed)}, b, func(x, y float32) (float32, float32) { return x + 1, y })
			},
			"tick": func(*rapid.T) { h.Tick() },
			"join": func(*rapid.T) { pages = append(pages, newPage(h)) },
			"read": func(t *rapid.T) {
				for _, p := range pages {
					if m, ok, _ := p.r.poll(); ok {
						p.take(t, m)
					}
				}
			},
			"": func(t *rapid.T) {
				if n := h.Len(); n > size || len(h.ring.x) > size || len(h.base.x) > 20 || n+len(h.base.slot) != len(state(h)) {
					t.Fatalf("%d points in %d slots, of %d", n, len(h.ring.x), size)
				}
			},
		})
		for range 1 + size {
			h.Tick()
		}
		for range pages { // one page may hold the room that others wait for
			for _, p := range pages {
				p.drain(t)
			}
		}
		for _, p := range pages {
			p.same(t, h)
			if p.m != h.m && p.begun == 1 {
				t.Fatalf("the page is at map %+v, the hub at %+v", p.m, h.m)
			}
		}
	})
}

// When the hub is full the oldest point leaves. A point that arrived again counts from its last
// arrival.
func TestOldestLeaves(t *testing.T) {
	h := New(Settings{Size: 3})
	for i, id := range []string{"a", "b", "c", "a", "d", "e"} {
		if err := h.Put(rowsOf([]string{id}, i)); err != nil {
			t.Fatal(err)
		}
	}
	var left []string
	for _, p := range state(h) {
		left = append(left, p.id)
	}
	if len(left) != 3 || !strings.Contains("ade dea ead aed dae eda", strings.Join(left, "")) {
		t.Errorf("%q are left, want a, d and e", left)
	}
}

// Few different whole numbers or texts become categories; with too many they become numbers or
// text. Times stay times, vectors are not shown, and invalid text is repaired.
func TestColumns(t *testing.T) {
	h := New(Settings{})
	n := 2 * mostCategories
	in := Rows{X: make([]float32, n), Y: make([]float32, n)}
	few, many, text, same, when := make([]int64, n), make([]int64, n), make([]string, n), make([]string, n), make([]string, n)
	for i := range n {
		few[i], many[i], text[i] = int64(i%5), int64(i), fmt.Sprintf("value %d", i)
		same[i], when[i] = "a\xff"+strings.Repeat("ä", mostBytes), "2026-01-02T03:04:05Z"
	}
	in.X[7] = float32(math.NaN())
	in.Columns = []table.Column{table.Int64Column("few", few), table.Int64Column("many", many), table.StringColumn("text", text), table.StringColumn("same", same), table.StringColumn("when", when)}
	if err := h.Put(in); err != nil {
		t.Fatal(err)
	}
	want := []Field{{Name: "few", Kind: Category}, {Name: "many", Kind: Number}, {Name: "text", Kind: Text}, {Name: "same", Kind: Category}, {Name: "when", Kind: Time, Zoned: true}}
	for i, c := range h.ring.columns {
		if c.Field != want[i] {
			t.Errorf("column %d is %+v, want %+v", i, c.Field, want[i])
		}
	}
	if h.Len() != n-1 {
		t.Errorf("%d points of %d, one without a place", h.Len(), n)
	}
	if v := h.ring.columns[1].numbers; v[0] != 0 || v[19] != 20 || v[n-2] != float64(n-1) {
		t.Errorf("numbers that were categories first: %v %v %v", v[0], v[19], v[n-2])
	}
	if v := h.ring.columns[2].texts; v[0] != "value 0" || v[n-2] != text[n-1] {
		t.Errorf("texts: %q %q", v[0], v[n-2])
	}
	if v := h.ring.columns[3].values[0]; len(v) > mostBytes+3 || !strings.HasPrefix(v, "a\uFFFDä") || !strings.HasSuffix(v, "ä…") {
		t.Errorf("a long text became %q", v)
	}
	if v := h.ring.columns[4].numbers[0]; v != float64(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMilli()) {
		t.Errorf("the time became %v", v)
	}
}

// Next waits for a message, but not beyond its context.
func TestNextWaits(t *testing.T) {
	h := New(Settings{Title: "<b>t</b>"})
	r := h.Join()
	defer r.Close()
	for range 2 { // hello, whole
		if _, err := r.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error, 1)
	go func() {
		_, err := r.Next(ctx)
		got <- err
	}()
	if err := h.Put(rowsOf([]string{"a"}, 1)); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 100 { // the columns are new: it begins again, before or after the tick
		if m, ok, _ := r.poll(); !ok {
			break
		} else if m.Data == nil {
			t.Fatal("an empty message")
		}
	}
	if _, err := r.Next(ctx); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// Without readers, changes need no memory and no encoding.
func TestNobodyReads(t *testing.T) {
	h := New(Settings{})
	for i := range 100 {
		if err := h.Put(rowsOf([]string{"a", "b"}, i)); err != nil {
			t.Fatal(err)
		}
		h.Tick()
	}
	if len(h.dirty)+len(h.log.messages) > 0 {
		t.Errorf("%d slots and %d messages are kept", len(h.dirty), len(h.log.messages))
	}
}

// More than eight readers share the bytes of eight for each delta. In the end each has all changes.
func TestManyReadersShare(t *testing.T) {
	h := New(Settings{Most: 80})
	var pages []*page
	for range 20 {
		pages = append(pages, newPage(h))
		pages[len(pages)-1].drain(t)
	}
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	for seed := range 2 { // new columns make readers start again
		if err := h.Put(rowsOf(ids, seed)); err != nil {
			t.Fatal(err)
		}
		for _, p := range pages {
			p.drain(t)
		}
	}
	before := len(h.dirty)
	for h.Tick(); len(h.dirty) > 0; h.Tick() {
		if sent := before - len(h.dirty); sent != 32 && len(h.dirty) > 0 {
			t.Fatalf("a change has %d points, want 80 * 8 / 20", sent)
		}
		before = len(h.dirty)
	}
	for _, p := range pages {
		p.drain(t)
		p.same(t, h)
		p.r.Close()
	}
}
