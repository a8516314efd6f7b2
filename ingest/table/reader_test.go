package table

import (
	"context"
	"fmt"
	"io"
	"testing"
)

// narrowed is a Reader that counts how often its schema is described.
type narrowed struct {
	schema    Schema
	described int
	wanted    func(string) bool
}

func (n *narrowed) Schema() Schema                       { n.described++; return n.schema }
func (n *narrowed) Next(context.Context) (*Table, error) { return nil, io.EOF }
func (n *narrowed) Close() error                         { return nil }
func (n *narrowed) Narrow(wanted func(string) bool)      { n.wanted = wanted }

func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		names, wanted, others []string
	}{
		{[]string{"a", "b.c"}, []string{"a", "b", "b.c", "b.c.d"}, []string{"b.x", "c", "ab", "b.cd"}},
		{[]string{"a.b.c"}, []string{"a", "a.b", "a.b.c"}, []string{"a.c", "a.b.d"}},
		{[]string{"a", "missing"}, nil, nil}, // nothing is narrowed
	} {
		r := &narrowed{schema: Schema{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
		Narrow(r, c.names)
		if (r.wanted == nil) != (c.wanted == nil) {
			t.Fatalf("%q: narrowed %v", c.names, r.wanted != nil)
		}
		for _, name := range c.wanted {
			if !r.wanted(name) {
				t.Errorf("%q: %q is not read", c.names, name)
			}
		}
		for _, name := range c.others {
			if r.wanted(name) {
				t.Errorf("%q: %q is read", c.names, name)
			}
		}
	}
}

// TestNarrowWide names every column of a wide table. A description of all columns for each of them
// took minutes for 20,000 columns.
func TestNarrowWide(t *testing.T) {
	r := &narrowed{}
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprint("c", i))
		r.schema = append(r.schema, Field{Name: names[i]})
	}
	if Narrow(r, names); r.described != 1 {
		t.Errorf("the columns are described %d times", r.described)
	}
}
