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
