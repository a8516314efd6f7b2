package record

import (
	"strings"
	"testing"

	"unfold/ingest/table"
)

// row adds a row of everything.
func addRow(b *Builder) {
	r := b.Root()
	b.Int(r.Child([]byte("id")), 7)
	p := r.Child([]byte("payload"))
	b.Float(p.Child([]byte("bytes")), 1.5)
	b.Text(p.Child([]byte("proto")), []byte("tcp"))
	b.Text(r.Child([]byte("v")), []byte("[1, 2.5,-3]"))
	b.Null(r.Child([]byte("gone")))
	b.EndRow()
}

// A row has all fields, or the requested paths in their order, as typed columns.
func TestRow(t *testing.T) {
	for name, c := range map[string]struct {
		spec Spec
		want string
	}{
		"all":           {Spec{}, "id=7 payload.bytes=1.5 payload.proto=tcp v=[1 2.5 -3] gone="},
		"some":          {Spec{Paths: []string{"payload.bytes", "lacks", "id"}}, "payload.bytes=1.5 lacks= id=7"},
		"pinned":        {Spec{Paths: []string{"id", "payload.proto"}, Types: map[string]Type{"id": Text}}, "id=7 payload.proto=tcp"},
		"vector":        {Spec{Paths: []string{"v"}, Vector: "v"}, "v=[1 2.5 -3]"},
		"text as it is": {Spec{Paths: []string{"v"}, Types: map[string]Type{"v": Text}}, "v=[1, 2.5,-3]"},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLayout(c.spec)
			for range 2 { // decode twice, to check that a reused builder gives the same result
				b := l.Builder()
				addRow(b)
				got, err := b.Table(table.Origin{})
				l.Release(b)
				if err != nil {
					t.Fatal(err)
				}
				var parts []string
				for _, col := range got.Columns() {
					parts = append(parts, col.Name()+"="+col.Text(0))
				}
				if text := strings.Join(parts, " "); text != c.want {
					t.Errorf("%s, want %s", text, c.want)
				}
			}
		})
	}
}

// The error of a refused value names the row and column.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		pin  Type
		add  func(b *Builder, n *Node)
		want string
	}{
		"text for a number": {Float, func(b *Builder, n *Node) { b.Text(n, []byte("x")) }, `row 2, column "a": the text "x" cannot be a value of type float`},
		"kinds mixed":       {Auto, func(b *Builder, n *Node) { b.Bool(n, true) }, `row 2, column "a": a truth value comes after an integer`},
		"twice":             {Auto, func(b *Builder, n *Node) { b.Int(n, 1); b.Int(n, 1) }, `row 2, column "a": it comes twice`},
		"fraction":          {Int, func(b *Builder, n *Node) { b.Float(n, 0.5) }, `the number 0.5 cannot be a value of type int`},
		"beyond int64":      {Int, func(b *Builder, n *Node) { b.Uint(n, 1<<63) }, `row 2, column "a": 9223372036854775808 is beyond int64; pin the column to an unsigned integer or to text, as in a:uint`},
		"below zero":        {Uint, func(b *Builder, n *Node) { b.Int(n, -1) }, `row 2, column "a": -1 is negative`},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewLayout(Spec{Types: map[string]Type{"a": c.pin}}).Builder()
			b.Int(b.Root().Child([]byte("a")), 1)
			b.EndRow()
			c.add(b, b.Root().Child([]byte("a")))
			b.EndRow()
			if _, err := b.Table(table.Origin{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func BenchmarkRow(b *testing.B) {
	l := NewLayout(Spec{})
	v := make([]float32, 50)
	b.ReportAllocs()
	for b.Loop() {
		r := l.Builder()
		r.Vector32(r.Root().Child([]byte("x")), v)
		addRow(r)
		if _, err := r.Table(table.Origin{}); err != nil {
			b.Fatal(err)
		}
		l.Release(r)
	}
}

// If all fields are requested, the Named columns exist even if no record has them; they are null
// then.
func TestNamed(t *testing.T) {
	l := NewLayout(Spec{Named: []string{"id", "at.x"}, Vector: "v", Types: map[string]Type{"id": Text}})
	b := l.Builder()
	defer l.Release(b)
	b.Int(b.Root().Child([]byte("n")), 3)
	b.EndRow()
	records, err := b.Table(table.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := records.Schema().String(), "id string, at.x float64, n int64"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	b.Reset()
	b.Float(b.Root().Child([]byte("at")).Child([]byte("x")), 2)
	b.EndRow()
	if records, err = b.Table(table.Origin{}); err != nil {
		t.Fatal(err)
	}
	if x, ok := records.Column("at.x"); !ok || x.Text(0) != "2" || records.Record().NumCols() != 2 {
		t.Errorf("columns %s", records.Schema())
	}
}
