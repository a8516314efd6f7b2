package table

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Table is a sequence of raw records from a source: columns of equal length. It is immutable.
type Table struct {
	// Origin is the origin of row 0.
	Origin Origin
	rec    arrow.Record
	text   *Texts // nil unless it was read from text
	skip   int    // rows of text before row 0
}

// OfRecord makes a table that shares a record.
func OfRecord(origin Origin, rec arrow.Record) *Table { return &Table{Origin: origin, rec: rec} }

// OfText is OfRecord for a record that was read from text.
func OfText(origin Origin, rec arrow.Record, text *Texts) *Table {
	return &Table{Origin: origin, rec: rec, text: text}
}

// Record returns the table as an Arrow record. It is shared and must not be modified.
func (t *Table) Record() arrow.Record { return t.rec }

// NewTable makes a table of columns, which must be valid, of equal length and
// of different names.
func NewTable(origin Origin, columns ...Column) (*Table, error) {
	seen := map[string]bool{}
	for _, c := range columns {
		if seen[c.Name()] {
			return nil, fmt.Errorf("ingest: two columns are called %q", c.Name())
		}
		seen[c.Name()] = true
	}
	return tableOf(origin, columns)
}

// tableOf is NewTable for columns of any names: a source may have several of the same name.
func tableOf(origin Origin, columns []Column) (*Table, error) {
	fields := make([]arrow.Field, len(columns))
	arrs := make([]arrow.Array, len(columns))
	for i, c := range columns {
		if !c.Valid() {
			return nil, fmt.Errorf("ingest: column %d of a table is missing", i)
		}
		if c.Len() != columns[0].Len() {
			return nil, fmt.Errorf("ingest: column %q has %d rows, column %q has %d", c.Name(), c.Len(), columns[0].Name(), columns[0].Len())
		}
		fields[i], arrs[i] = c.field, c.arr
	}
	rows := 0
	if len(columns) > 0 {
		rows = columns[0].Len()
	}
	return &Table{Origin: origin, rec: array.NewRecord(arrow.NewSchema(fields, nil), arrs, int64(rows))}, nil
}

// Len returns the number of rows.
func (t *Table) Len() int { return int(t.rec.NumRows()) }

// Names returns the columns' names in order.
func (t *Table) Names() []string { return t.Schema().Names() }

// Schema describes the columns.
func (t *Table) Schema() Schema { return Describe(t.rec.Schema()) }

// Columns returns all columns in order.
func (t *Table) Columns() []Column {
	out := make([]Column, t.rec.NumCols())
	for i := range out {
		out[i] = t.At(i)
	}
	return out
}

func (t *Table) At(i int) Column { return Column{t.rec.Schema().Field(i), t.rec.Column(i)} }

// Column returns the first column with the given name, or else the field of a struct with this
// dotted path.
func (t *Table) Column(name string) (Column, bool) {
	if at := t.rec.Schema().FieldIndices(name); len(at) > 0 {
		return t.At(at[0]), true
	}
	return t.part(name)
}

// Need is Column with an error that lists the existing columns, or reports that several columns
// share the name.
func (t *Table) Need(name string) (Column, error) {
	switch at := t.rec.Schema().FieldIndices(name); len(at) {
	case 0:
		if err := t.Schema().Ambiguous(name, t.Origin); err != nil {
			return Column{}, err
		}
		if c, ok := t.part(name); ok {
			return c, nil
		}
		return Column{}, UnknownColumn(t.Origin, name, t.Names())
	case 1:
		return t.At(at[0]), nil
	}
	return Column{}, t.Schema().Ambiguous(name, t.Origin)
}

// Slice returns rows from..to (to excluded), sharing memory. It adjusts Origin.Row.
func (t *Table) Slice(from, to int) *Table {
	if from == 0 && to == t.Len() {
		return t
	}
	o := t.Origin
	o.Row += int64(from)
	return &Table{Origin: o, rec: t.rec.NewSlice(int64(from), int64(to)), text: t.text, skip: t.skip + from}
}

// With returns the table with a column added, or replaced if the name exists.
func (t *Table) With(c Column) (*Table, error) {
	cols := t.Columns()
	for i := range cols {
		if cols[i].Name() == c.Name() {
			cols[i] = c
			return NewTable(t.Origin, cols...)
		}
	}
	return NewTable(t.Origin, append(cols, c)...)
}

// Beside returns the table with further columns after its own. They must have as many rows and
// different names.
func (t *Table) Beside(columns ...Column) *Table {
	s := t.rec.Schema()
	fields, arrs := slices.Clone(s.Fields()), slices.Clone(t.rec.Columns())
	for _, c := range columns {
		fields, arrs = append(fields, c.field), append(arrs, c.arr)
	}
	meta := s.Metadata()
	out := *t
	out.rec = array.NewRecord(arrow.NewSchema(fields, &meta), arrs, t.rec.NumRows())
	return &out
}

// ConcatTables concatenates tables of the same columns. The origin is that of the first.
func ConcatTables(tables ...*Table) (*Table, error) {
	switch len(tables) {
	case 0:
		return NewTable(Origin{})
	case 1:
		return tables[0], nil
	}
	cols := make([]Column, tables[0].rec.NumCols())
	for i := range cols {
		parts := make([]Column, len(tables))
		for k, t := range tables {
			if int(t.rec.NumCols()) != len(cols) || t.At(i).Name() != tables[0].At(i).Name() {
				return nil, t.Origin.Bad("the columns change: %s, before %s", List(t.Names()), List(tables[0].Names()))
			}
			parts[k] = t.At(i)
		}
		var err error
		if cols[i], err = Concat(parts...); err != nil {
			return nil, err
		}
	}
	return tableOf(tables[0].Origin, cols)
}

// MapID returns the id of the map to whose places a message or file belongs, or "" if its schema
// has none.
func (t *Table) MapID() string { return MapIDOf(t.rec.Schema()) }

func MapIDOf(s *arrow.Schema) string {
	m := s.Metadata()
	id, _ := m.GetValue(MapIDKey)
	return id
}

// Fingerprint returns the schema fingerprint: a short text that is equal for equal columns (names
// and types, in order).
func (t *Table) Fingerprint() string { return t.rec.Schema().Fingerprint() }

// MapIDKey is the metadata key of the map id in the schema of an Arrow or Parquet message or file.
const MapIDKey = "unfold-map-id"
