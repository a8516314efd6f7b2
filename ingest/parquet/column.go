package parquet

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"unfold/ingest/arrays"
	"unfold/ingest/bridge"
	"unfold/ingest/parquetcheck"
	"unfold/ingest/table"
	"unfold/internal/par"
)

// column is a column of the tables. Its reader is created, and its pages are checked, at the first
// read.
type column struct {
	field   pqarrow.SchemaField
	typ     arrow.DataType
	library bool // the library reads the column
	regular *regular
	isMixed bool // its pages are decoded in two ways, by mixed
	mixed   *mixed
	reader  *pqarrow.ColumnReader
}

// flat lists the fields of a file, those of structs by their dotted paths. nullable means that an
// enclosing struct may be null.
func flat(out, fields []pqarrow.SchemaField, prefix string, nullable bool) []pqarrow.SchemaField {
	for _, f := range fields {
		if f.Field == nil {
			continue
		}
		named := *f.Field
		if e, is := named.Type.(arrow18.ExtensionType); is {
			named.Type = e.StorageType()
		}
		named.Name, named.Nullable = prefix+named.Name, nullable || named.Nullable
		if named.Type.ID() == arrow18.STRUCT && !isSparse(named.Type) {
			out = flat(out, f.Children, named.Name+".", named.Nullable)
			continue
		}
		if f.Field = &named; prefix == "" || !slices.ContainsFunc(out, func(o pqarrow.SchemaField) bool { return o.Field.Name == named.Name }) {
			out = append(out, f)
		}
	}
	return out
}

func isSparse(dt arrow18.DataType) bool {
	as, err := bridge.OldType(dt)
	return err == nil && table.KindOf(as) == table.SparseVector
}

// newColumn returns the column of a field, and its field in tables.
func newColumn(f pqarrow.SchemaField) (*column, arrow.Field, error) {
	field, err := bridge.OldField(*f.Field)
	if err != nil {
		return nil, field, err
	}
	field.Metadata = arrow.Metadata{}
	if hasStruct(field.Type) && table.KindOf(field.Type) != table.SparseVector {
		return nil, field, errStructs
	}
	return &column{field: f, typ: field.Type}, field, nil
}

// errStructs is the reason for omitting lists of structs and most maps, which tables do not support.
var errStructs = errors.New("a list of structs")

func hasStruct(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case *arrow.MapType:
		return !numbersByText(dt)
	case *arrow.StructType:
		return true
	case arrow.ListLikeType:
		return hasStruct(dt.Elem())
	}
	return false
}

// numbersByText reports whether a map is from text to numbers, such as class_probabilities of this
// program's maps.
func numbersByText(dt *arrow.MapType) bool {
	return dt.KeyType().ID() == arrow.STRING && (arrow.IsInteger(dt.ItemType().ID()) || arrow.IsFloating(dt.ItemType().ID()))
}

// readable returns the reason why a column cannot be read, according to the footer.
func (r *reader) readable(c *column) error {
	for _, leaf := range leavesOf(nil, &c.field) {
		if err := r.check.Supported(leaf, r.groups); err != nil {
			return err
		}
		if r.widths[leaf] == 0 && r.meta.Schema.Column(leaf).PhysicalType() == parquet.Types.FixedLenByteArray && hasDelta(r.meta, leaf) {
			if c.isMixed = r.isMixed(c); !c.isMixed {
				return fmt.Errorf("DELTA_BYTE_ARRAY of bytes of fixed length beside a dictionary, of %s, is %w: write it with one of them", c.typ, parquetcheck.ErrUnsupported)
			}
		}
	}
	return nil
}

// readRegular decodes the next n rows of the columns that are regular there. The others are nil, and
// the library reads them from now on. Many columns are read concurrently; of few, their pages are.
func (r *reader) readRegular(n int64) []arrow.Array {
	out := make([]arrow.Array, len(r.columns))
	within, tasks := r.threads, 1
	if len(r.columns) >= 4*r.threads {
		within, tasks = 1, r.threads
	}
	par.Do(tasks, len(r.columns), func(i int) {
		c := r.columns[i]
		if c.library {
			return
		}
		err := contained(func() error {
			if c.regular == nil {
				c.regular = r.newRegular(c)
			}
			if c.regular != nil {
				out[i] = c.regular.read(int(n), within)
			}
			return nil
		})
		if c.library = err != nil || out[i] == nil; c.library {
			out[i] = nil
		}
		if c.library || n == r.end-r.origin.Row {
			c.regular = nil
		}
	})
	return out
}

// read decodes the next n rows of a column with the library.
func (r *reader) read(c *column, n int64) (arrow.Array, error) {
	if c.isMixed {
		return r.readMixed(c, n)
	}
	if c.reader == nil {
		if err := r.begin(c); err != nil {
			return nil, err
		}
		for before := r.origin.Row - (r.end - r.rows); before > 0; before -= r.batch {
			r.mem.Used = 0
			if _, err := c.reader.NextBatch(min(before, r.batch)); err != nil {
				return nil, err
			}
		}
	}
	r.mem.Used = 0
	chunked, err := c.reader.NextBatch(n)
	if err != nil {
		return nil, err
	}
	parts := make([]arrow.Array, len(chunked.Chunks()))
	for i, chunk := range chunked.Chunks() {
		parts[i] = bridge.Retyped(chunk, c.typ)
	}
	var a arrow.Array
	if len(parts) == 1 {
		a = parts[0]
	} else if len(parts) > 1 {
		if a, err = array.Concatenate(parts, table.Heap); err != nil {
			return nil, err
		}
	}
	if a == nil || int64(a.Len()) != n {
		return nil, fmt.Errorf("it has fewer rows than the file says (%d)", r.rows)
	}
	if err := arrays.ValidateArray(a); err != nil {
		return nil, err
	}
	if width := r.width(c); width > 0 {
		return fixed(a, width)
	}
	return a, nil
}

// readMixed is read for columns whose pages are decoded in two ways.
func (r *reader) readMixed(c *column, n int64) (arrow.Array, error) {
	if c.mixed == nil {
		if err := r.check.Column(c.field.ColIndex, r.groups); err != nil {
			return nil, err
		}
		c.mixed = r.newMixed(c)
	}
	r.mem.Used = 0
	return c.mixed.read(int(n), c.typ)
}

// begin checks the pages of a column and creates its reader.
func (r *reader) begin(c *column) error {
	leaves := leavesOf(nil, &c.field)
	for _, leaf := range leaves {
		if err := r.check.Column(leaf, r.groups); err != nil {
			return err
		}
		// The library opens the fields of structs in goroutines, where a panic ends the process.
		// Pages that can be opened here first can also be opened there.
		if c.field.IsLeaf() {
			break
		}
		if _, err := r.fr.ParquetReader().RowGroup(r.groups[0]).GetColumnPageReader(leaf); err != nil {
			return err
		}
	}
	included := map[int]bool{}
	for _, leaf := range leaves {
		included[leaf] = true
	}
	r.fr.Manifest.Fields = []pqarrow.SchemaField{c.field}
	reader, err := r.fr.GetFieldReader(context.Background(), 0, included, r.groups)
	c.reader = reader
	return err
}

// close releases the buffers of a column that was read to its end, and its part of the footer. They
// take more memory than the values of a column with few rows.
func (r *reader) close(c *column) {
	if c.reader != nil {
		c.reader.Release()
	}
	c.reader, c.mixed = nil, nil
	for _, leaf := range leavesOf(nil, &c.field) {
		for _, g := range r.groups {
			r.meta.RowGroups[g].Columns[leaf].MetaData = nil
		}
	}
}

// leavesOf appends the indices of the file's columns that make up a field.
func leavesOf(out []int, f *pqarrow.SchemaField) []int {
	if f.IsLeaf() {
		return append(out, f.ColIndex)
	}
	for i := range f.Children {
		out = leavesOf(out, &f.Children[i])
	}
	return out
}
