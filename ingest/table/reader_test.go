package table_test

import (
	"testing"

	"unfold/ingest/table"
)

// narrow is a Reader with columns that can be narrowed. It records which of them are wanted.
type narrow struct {
	table.Reader
	schema table.Schema
	wanted string
}

func (n *narrow) Schema() table.Schema { return n.schema }

func (n *narrow) Narrow(wanted func(column string) bool) {
	n.wanted = ":"
	for _, f := range n.schema {
		if wanted(f.Name) {
			n.wanted += f.Name + " "
		}
	}
}

// A reader decodes the named columns, the structs around named fields, and the parts of named
// columns. If a name is unknown, it decodes everything.
func TestNarrow(t *testing.T) {
	schema := table.Schema{{Name: "a"}, {Name: "b"}, {Name: "place"}, {Name: "place.x"}}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"b"}, ":b "}, {[]string{"place.y", "a"}, ":a place "}, {[]string{"place"}, ":place place.x "}, {[]string{"place.x"}, ":place place.x "},
		{[]string{"a", "c"}, ""}, {[]string{"plac"}, ""}, {nil, ":"},
	} {
		n := &narrow{schema: schema}
		if table.Narrow(n, c.names); n.wanted != c.want {
			t.Errorf("%v: %q, want %q", c.names, n.wanted, c.want)
		}
	}
	table.Narrow(struct{ table.Reader }{}, []string{"a"}) // cannot be narrowed
}

// Lookup finds what Find finds: of fields of one name the first, and parts by their path.
func TestLookup(t *testing.T) {
	s := table.Schema{{Name: "a", Kind: table.Text}, {Name: "a", Kind: table.Number}, {Name: "place", Parts: table.Schema{{Name: "x", Kind: table.Number}}}}
	find := s.Lookup()
	for _, name := range []string{"a", "place", "place.x", "place.y", "b", ""} {
		got, there := find(name)
		want, known := s.Find(name)
		if there != known || got.Name != want.Name || got.Kind != want.Kind {
			t.Errorf("%q: %+v %v, want %+v %v", name, got, there, want, known)
		}
	}
	if f, _ := find("a"); f.Kind != table.Text {
		t.Errorf("of two columns the second is found: %+v", f)
	}
	if _, there := (table.Schema{}).Lookup()("a"); there {
		t.Error("a schema without columns has one")
	}
}

// The remedy for a value of another kind depends on whether it may be a name in the header.
func TestOddValueInTheHeader(t *testing.T) {
	odd := func(o table.Odd) error { return here.OddValue(table.Field{Name: "c", Odd: &o}) }
	for want, err := range map[string]error{
		`"n/a" is not a number; 7 of the 8 values looked at are: if this line has the names say so: --csv-skip 2`:   odd(table.Odd{Kind: table.Number, Text: "n/a", Row: 0, Line: 3, Of: 8, Fit: 7}),
		`"n/a" is not a boolean; 7 of the 8 values looked at are: correct this one`:                                 odd(table.Odd{Kind: table.Bool, Text: "n/a", Row: 0, Line: 1, Of: 8, Fit: 7}),
		`"x" is not a number; 7 of the 8 values looked at are: correct this one, leave the column out, say that it`: odd(table.Odd{Kind: table.Number, Text: "x", Row: 2, Line: 3, Of: 8, Fit: 7}),
		`"x" is not a number; a reason`: odd(table.Odd{Kind: table.Number, Text: "x", Row: 0, Line: 3, Why: "a reason"}),
	} {
		wantError(t, err, want)
	}
	if err := here.OddValue(table.Field{Name: "c"}); err != nil {
		t.Errorf("%v of a field without one", err)
	}
}
