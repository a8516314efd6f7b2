package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"unfold/ingest/arrays"
	"unfold/ingest/input"
	"unfold/ingest/parquetcheck"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// reader reads Parquet files, all columns side by side, in batches.
//
// The library decodes columns in goroutines of its own where it can, and a panic there (a
// corrupt page is enough) ends the process. So the file's structure is checked first
// (package parquetcheck). Every column is read through its own field reader in this
// goroutine, under a recover. The library reads structs in goroutines alone: so their
// fields are columns of their own here, named by dotted paths, and lists and maps of structs
// are left out, but for sparse vectors (sparse.go). The Arrow schema that some writers add to
// the file is not used: lists come as lists (this library cannot read fixed-size ones),
// dictionaries as values.
type reader struct {
	in      *input.Source
	file    *os.File
	origin  table.Origin
	mem     *arrays.Allocator
	schema  *arrow.Schema
	columns []column
	left    []arrow.Field // that are not read
	rows    int64
	batch   int64
	mapID   string
	// groups are the row groups that have rows, end is the row after the last.
	groups []int
	meta   *metadata.FileMetaData
	end    int64
}

func NewReader(in *input.Source, batchRows int, memory int64) (table.Reader, error) {
	f, size, err := in.Seekable(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	if err := parquetcheck.Check(f, size, parquetcheck.Limits{Page: memory}); err != nil {
		return nil, explain(in.Origin, err)
	}
	r := &reader{in: in, file: f, origin: in.Origin, mem: &arrays.Allocator{Limit: 2 * memory}, batch: int64(batchRows)}
	if err := r.open(); err != nil {
		return nil, explain(in.Origin, err)
	}
	return r, nil
}

// Parts divides the row groups, which the library reads by readers that share nothing but the
// file and its footer.
func (r *reader) Parts(most int) ([]table.Reader, error) {
	var out []table.Reader
	at, n := int64(0), min(most, len(r.groups))
	for i := range n {
		part := &reader{file: r.file, origin: r.origin, mem: &arrays.Allocator{Limit: r.mem.Limit}, batch: r.batch, mapID: r.mapID, meta: r.meta,
			groups: r.groups[i*len(r.groups)/n : (i+1)*len(r.groups)/n]}
		part.origin.Row = at
		if err := part.open(); err != nil {
			return nil, explain(r.origin, err)
		}
		at = part.end
		out = append(out, part)
	}
	return out, nil
}

func explain(o table.Origin, err error) *table.Error {
	if errors.Is(err, parquetcheck.ErrUnsupported) {
		return o.Bad("the Parquet file cannot be read").Because(err)
	}
	return o.Bad("the Parquet file is corrupt or truncated").Because(err)
}

// contained runs f so that panics and faults in it, in this goroutine, become
// errors.
func contained(f func() error) (err error) {
	defer arrays.Recovered(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return f()
}

func (r *reader) open() error {
	return contained(func() error {
		options := []file.ReadOption{file.WithReadProps(parquet.NewReaderProperties(r.mem))}
		if r.meta != nil {
			options = append(options, file.WithMetadata(r.meta))
		}
		pf, err := file.NewParquetReader(r.file, options...)
		if err != nil {
			return err
		}
		if id := pf.MetaData().KeyValueMetadata().FindValue(table.MapIDKey); id != nil {
			r.mapID = *id
		}
		pf.MetaData().FileMetaData.KeyValueMetadata = nil
		props := pqarrow.ArrowReadProperties{BatchSize: r.batch}
		fr, err := pqarrow.NewFileReader(pf, props, r.mem)
		if err != nil {
			return err
		}
		if r.meta == nil {
			r.meta = pf.MetaData()
			for i, g := range r.meta.RowGroups {
				if g.NumRows > 0 {
					r.groups = append(r.groups, i)
				}
			}
		}
		for _, g := range r.groups {
			r.rows += r.meta.RowGroups[g].NumRows
		}
		r.end = r.origin.Row + r.rows
		return r.fields(pf, fr)
	})
}

// flat lists the fields of a file, those of structs by their dotted paths; nullable says
// that a struct around them may be null.
func flat(out []pqarrow.SchemaField, fields []pqarrow.SchemaField, prefix string, nullable bool) []pqarrow.SchemaField {
	for _, f := range fields {
		if f.Field == nil {
			continue
		}
		named := *f.Field
		named.Name, named.Nullable = prefix+named.Name, nullable || named.Nullable
		if named.Type.ID() == arrow.STRUCT && table.KindOf(named.Type) != table.SparseVector {
			out = flat(out, f.Children, named.Name+".", named.Nullable)
			continue
		}
		if f.Field = &named; prefix == "" || !slices.ContainsFunc(out, func(o pqarrow.SchemaField) bool { return o.Field.Name == named.Name }) {
			out = append(out, f)
		}
	}
	return out
}

// column is read by one reader, or by one for each part of its sparse vectors.
type column []*pqarrow.ColumnReader

// fields makes a reader for every column but lists and maps of structs.
func (r *reader) fields(pf *file.Reader, fr *pqarrow.FileReader) error {
	leaves := map[int]bool{}
	for i := range pf.MetaData().Schema.NumColumns() {
		leaves[i] = true
	}
	var fields []arrow.Field
	columns := flat(nil, fr.Manifest.Fields, "", false)
	for _, f := range columns {
		field := *f.Field
		field.Metadata = arrow.Metadata{}
		parts := sparseParts(&f)
		if parts == nil && hasStruct(field.Type) {
			r.left = append(r.left, field)
			continue
		}
		if parts == nil {
			parts = []pqarrow.SchemaField{f}
			field.Type = timesOf(pf, &f)
		}
		var c column
		for i := range parts {
			fr.Manifest.Fields = parts
			part, err := fr.GetFieldReader(context.Background(), i, leaves, r.groups)
			if err != nil {
				return fmt.Errorf("column %q: %w", field.Name, err)
			}
			c = append(c, part)
		}
		fields = append(fields, field)
		r.columns = append(r.columns, c)
	}
	r.schema = arrow.NewSchema(fields, nil)
	return nil
}

func hasStruct(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case *arrow.StructType, *arrow.MapType:
		return true
	case arrow.ListLikeType:
		return hasStruct(dt.Elem())
	}
	return false
}

func (r *reader) Schema() table.Schema   { return table.Describe(r.schema) }
func (r *reader) MapID() string          { return r.mapID }
func (r *reader) NumRows() (int64, bool) { return r.rows, true }

// Close closes the file; of a part it does nothing.
func (r *reader) Close() error {
	if r.in == nil {
		return nil
	}
	return r.in.Close()
}

func (r *reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	left := r.end - r.origin.Row
	if left <= 0 || len(r.columns) == 0 {
		return nil, io.EOF
	}
	n := min(r.batch, left)
	arrs := make([]arrow.Array, len(r.columns))
	for i := range r.columns {
		if err := contained(func() error { return r.read(i, n, arrs) }); err != nil {
			return nil, r.origin.BadAt(0, r.schema.Field(i).Name, "the Parquet data is corrupt").Because(err)
		}
	}
	t := table.OfRecord(r.origin, array.NewRecord(r.schema, arrs, n))
	r.origin.Row += n
	return t, nil
}

// read reads n rows of column i.
func (r *reader) read(i int, n int64, arrs []arrow.Array) error {
	r.mem.Used = 0
	parts := make([]arrow.Array, len(r.columns[i]))
	for k, c := range r.columns[i] {
		var err error
		if parts[k], err = r.part(c, n); err != nil {
			return err
		}
	}
	dt := r.schema.Field(i).Type
	if table.KindOf(dt) != table.SparseVector {
		arrs[i] = Retyped(parts[0], dt)
		return nil
	}
	a, err := joined(dt, parts)
	if err != nil {
		return err
	}
	arrs[i] = a
	return arrays.ValidateArray(a)
}

// part reads n rows of a column, or of a part of it.
func (r *reader) part(c *pqarrow.ColumnReader, n int64) (a arrow.Array, err error) {
	chunked, err := c.NextBatch(n)
	if err != nil {
		return nil, err
	}
	chunks := chunked.Chunks()
	if len(chunks) == 1 {
		chunks[0].Retain()
		a = chunks[0]
	} else if len(chunks) > 1 {
		if a, err = array.Concatenate(chunks, table.Heap); err != nil {
			return nil, err
		}
	}
	if a == nil || int64(a.Len()) != n {
		return nil, fmt.Errorf("it has fewer rows than the file says (%d)", r.rows)
	}
	return a, arrays.ValidateArray(a)
}

// Left describes the columns that are not read.
func (r *reader) Left() table.Schema { return table.Describe(arrow.NewSchema(r.left, nil)) }

// ArrowSchema is that of its tables.
func (r *reader) ArrowSchema() *arrow.Schema { return r.schema }
