package view

import (
	"math"
	"slices"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/table"
)

// Readers, single points and dumps get whole numbers beyond 2^53 exactly, also after the column has
// become one of numbers, and readers learn how many rows have no place.
func TestExactValues(t *testing.T) {
	h := New(Settings{Live: true})
	p := newPage(h)
	defer p.r.Close()
	n := 40
	in := Rows{X: make([]float32, n), Y: make([]float32, n)}
	ids, big := make([]string, n), make([]int64, n)
	for i := range n {
		ids[i], big[i] = string(rune('a'+i)), 1<<53+int64(i)
	}
	in.X[3], in.Y[4] = float32(math.NaN()), float32(math.Inf(1))
	in.ID, in.Columns = table.StringColumn("id", ids), []table.Column{table.Int64Column("big", big)}
	if err := h.Put(in); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	p.drain(t)
	if p.unplaced != 2 || len(p.points) != 38 {
		t.Errorf("%d points, %d rows without a place", len(p.points), p.unplaced)
	}
	if f := p.fields[0]; f.Kind != Number || !f.Exact {
		t.Fatalf("the column is %+v", f)
	}
	if p.exact["b"] != "9007199254740993" || p.exact["a"] != "" {
		t.Errorf("exact texts are %v", p.exact)
	}
	if one, _, _ := h.Point("b", 0); one.Values["big"] != "9007199254740993" {
		t.Errorf("a point has %v", one.Values)
	}
	rows := dumpedRows(t, h)
	if c, _ := rows.Column("big"); c.Text(0) != "9007199254740992" || c.Text(1) != "9007199254740993" {
		t.Errorf("a dump has %v", c.Strings()[:2])
	}
	in.Columns = []table.Column{table.Int64Column("big", make([]int64, n))}
	if err := h.Put(in); err != nil {
		t.Fatal(err)
	}
	h.Tick()
	p.drain(t)
	if p.unplaced != 4 || p.exact["b"] != "" {
		t.Errorf("then %d rows without a place, %v", p.unplaced, p.exact)
	}
}

// Whole numbers beyond 2^53 that a float64 holds are as exact as others: 2^62 is not written with the
// fewest digits that identify it. Times have a zone if their column has one.
func TestExactWithoutRounding(t *testing.T) {
	const n = 40
	h := New(Settings{Live: true})
	in := Rows{X: make([]float32, n), Y: make([]float32, n)}
	ids, big, text := make([]string, n), make([]int64, n), make([]string, n)
	for i := range n {
		ids[i], big[i], text[i] = string(rune('a'+i)), 1<<62+int64(i), "2026-03-01T12:00:00Z"
	}
	fine := slices.Repeat([]string{"2026-03-01T12:00:00.123456"}, n)
	fine[0] = "2026-03-01T12:00:00"
	in.ID = table.StringColumn("id", ids)
	in.Columns = []table.Column{table.Int64Column("big", big), table.StringColumn("zoned", text), table.StringColumn("fine", fine)}
	if err := h.Put(in); err != nil {
		t.Fatal(err)
	}
	if f := h.Columns(); !f[0].Exact || f[1].Kind != Time || !f[1].Zoned || f[2].Kind != Time || f[2].Zoned || !f[2].Exact {
		t.Fatalf("the columns are %+v", f)
	}
	if one, _, _ := h.Point("a", 0); one.Values["big"] != "4611686018427387904" {
		t.Errorf("a point has %v", one.Values)
	}
	rows := dumpedRows(t, h)
	if c, _ := rows.Column("big"); c.Text(0) != "4611686018427387904" || c.Text(1) != "4611686018427387905" {
		t.Errorf("a dump has %v", c.Strings()[:2])
	}
	if c, _ := rows.Column("fine"); c.Text(0) != "2026-03-01T12:00:00" || c.Text(1) != fine[1] {
		t.Errorf("a dump has the times %v", c.Strings()[:2])
	}
}

type dumped struct{ b []byte }

func (d *dumped) Write(b []byte) (int, error) { d.b = append(d.b, b...); return len(b), nil }

// A large map begins with points from all of it, also if its rows alternate between classes.
func TestSampleFirst(t *testing.T) {
	const n = 20 * sampleRows
	h := New(Settings{Size: n})
	in := Rows{X: make([]float32, n), Y: make([]float32, n)}
	for i := range n {
		in.X[i] = float32(i)
	}
	if err := h.Put(in); err != nil {
		t.Fatal(err)
	}
	p := newPage(h)
	defer p.r.Close()
	for {
		m, ok, _ := p.r.poll()
		if !ok {
			t.Fatal("there is no part")
		}
		p.take(t, m)
		if !m.Text {
			break
		}
	}
	var count [4]int
	var classes [20]int
	for _, at := range p.points {
		count[int(at.x)*4/n]++
		classes[int(at.x)%20]++
	}
	if least := slices.Min(classes[:]); least < len(p.points)/40 {
		t.Errorf("of alternating classes the first part has %v points", classes)
	}
	if each := len(p.points) / 4; p.whole || each < 200 || each > sampleRows/4 || slices.ContainsFunc(count[:], func(k int) bool { return k < each-1 || k > each+2 }) {
		t.Errorf("the first part has %d points, %v by quarter", len(p.points), count)
	}
	p.drain(t)
	if !p.whole || len(p.points) != n {
		t.Errorf("then %d of %d points", len(p.points), n)
	}
}

// On a live map the first points that a page gets are events, which have classes, and not the base,
// which has none.
func TestEventsBeforeTheBase(t *testing.T) {
	h := New(Settings{Base: 100, Live: true})
	b := Base{X: make([]float32, 100), Y: make([]float32, 100)}
	for i := range 100 {
		b.Keys = append(b.Keys, uint64(i+1))
	}
	h.Refresh(MapState{ID: "m", Version: 1}, b, nil)
	in := Rows{X: []float32{1, 2, 3}, Y: []float32{1, 2, 3}, Columns: []table.Column{table.StringColumn("class", []string{"a", "b", "a"})}}
	if err := h.Put(in); err != nil {
		t.Fatal(err)
	}
	p := newPage(h)
	defer p.r.Close()
	for len(p.points) == 0 {
		m, ok, _ := p.r.poll()
		if !ok {
			t.Fatal("there is no part")
		}
		p.take(t, m)
	}
	for s, at := range p.points {
		if s < 100 || at.row == "" {
			t.Errorf("slot %d comes first: %+v", s, at)
		}
	}
	if p.drain(t); len(p.points) != 103 || !p.whole {
		t.Errorf("then %d points", len(p.points))
	}
}

// dumpedRows returns the table of all points that a page gets when it loads them.
func dumpedRows(t *testing.T, h *Hub) *table.Table {
	t.Helper()
	d, err := h.Dump()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	var all dumped
	if _, err := d.WriteTo(&all); err != nil {
		t.Fatal(err)
	}
	rows, err := new(arrowfmt.Decoder).Decode(all.b, table.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
