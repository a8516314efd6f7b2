package ingest

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/table"
)

// disguised reads vectors from columns in which they have another type (table.Disguise).
type disguised struct {
	table.Reader
	schema  table.Schema
	columns map[string]table.Disguise
	first   *table.Table // already read, from a source that can be read only once
	err     error        // the error of reading first
}

// undisguised detects disguised vectors in a source without vector columns, by its first table.
// again opens the source once more, or returns nil if that is impossible.
func undisguised(ctx context.Context, r table.Reader, again func() (table.Reader, error)) table.Reader {
	schema := r.Schema()
	if len(vectorsOf(schema)) > 0 || !slices.ContainsFunc(schema, mayBeDisguised) {
		return r
	}
	d := &disguised{Reader: r, columns: map[string]table.Disguise{}}
	var first *table.Table
	if again != nil {
		look, err := again()
		if err != nil {
			return r // any error will come again when the source is read
		}
		first, err = look.Next(ctx)
		look.Close()
		if err != nil {
			return r
		}
	} else {
		first, d.err = r.Next(ctx)
		d.first = first
	}
	if first != nil {
		for i := range first.Columns() {
			c := first.At(i)
			if how := table.DisguiseOf(c); how.Form != "" {
				d.columns[c.Name()] = how
			}
		}
	}
	if len(d.columns) == 0 && again != nil {
		return r
	}
	d.schema = d.given()
	return d
}

// given returns the source's schema with lists instead of disguised vectors.
func (d *disguised) given() table.Schema {
	schema := slices.Clone(d.Reader.Schema())
	for i, f := range schema {
		if _, is := d.columns[f.Name]; is {
			schema[i] = table.Field{Name: f.Name, Type: table.TypeName(listOfFloats), Kind: table.Vector, Nullable: true}
		}
	}
	return schema
}

var listOfFloats = arrow.ListOf(arrow.PrimitiveTypes.Float64)

// mayBeDisguised reports whether a field could contain disguised vectors.
func mayBeDisguised(f table.Field) bool {
	return f.Kind == table.Text && f.Odd == nil || f.Kind == table.Other && f.Parts == nil
}

// Schema returns the schema with vector columns.
func (d *disguised) Schema() table.Schema { return d.schema }

// Next returns the next table, with lists instead of disguised vectors.
func (d *disguised) Next(ctx context.Context) (*table.Table, error) {
	t, err := d.first, d.err
	if d.first, d.err = nil, nil; t == nil && err == nil {
		t, err = d.Reader.Next(ctx)
	}
	if err != nil {
		return nil, err
	}
	for i := range t.Columns() {
		c := t.At(i)
		how, is := d.columns[c.Name()]
		if !is {
			continue
		}
		v, err := how.Vectors(c, t.Origin)
		if err != nil {
			return nil, t.Located(err)
		}
		t = t.Swap(i, v)
	}
	return t, nil
}

// Narrow narrows the source, unless a table has already been read.
func (d *disguised) Narrow(wanted func(column string) bool) {
	if n, is := d.Reader.(table.Narrowing); is && d.first == nil {
		n.Narrow(wanted)
		d.schema = d.given()
	}
}

// NumRows returns the number of rows of the source.
func (d *disguised) NumRows() (int64, bool) { return table.RowsOf(d.Reader) }

// Parts returns the parts of the source.
func (d *disguised) Parts(most int) ([]table.Reader, error) {
	p, is := d.Reader.(table.Parted)
	if !is || d.first != nil || d.err != nil {
		return nil, nil
	}
	parts, err := p.Parts(most)
	for i := range parts {
		parts[i] = &disguised{Reader: parts[i], schema: d.schema, columns: d.columns}
	}
	return parts, err
}

// MapID returns the map id of the source.
func (d *disguised) MapID() string { return table.MapOf(d.Reader) }

// Left returns the columns that the source does not read.
func (d *disguised) Left() table.Schema { return table.LeftOf(d.Reader) }

// Guesses returns the guesses of the source, and a sentence for each column with disguised vectors.
func (d *disguised) Guesses() []string {
	var out []string
	if g := Guessed(d.Reader); g != nil {
		out = append(out, g.Guesses()...)
	}
	for _, f := range d.schema {
		if how, is := d.columns[f.Name]; is {
			out = append(out, fmt.Sprintf("column %q holds vectors, as %s", f.Name, how.Form))
		}
	}
	return out
}

// Reading returns the description of the source's format.
func (d *disguised) Reading() string {
	if g := Guessed(d.Reader); g != nil {
		return g.Reading()
	}
	return ""
}
