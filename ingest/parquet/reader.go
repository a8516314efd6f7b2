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
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"unfold/ingest/arrays"
	"unfold/ingest/input"
	"unfold/ingest/parquetcheck"
	"unfold/ingest/table"
	"unfold/internal/par"
)

// reader reads Parquet files in batches of all columns.
//
// The footer is checked when the file is opened, and the pages of a column before the column is
// first decoded (package parquetcheck). Regular columns of numbers and vectors are decoded here
// (regular.go), all else by the library. It decodes only in this goroutine, with a recover, because
// a corrupt page can cause a panic. Fields of structs are separate columns, named by dotted
// paths. The Arrow schema that some writers add to the file is ignored: lists are read as lists,
// and dictionaries as values.
type reader struct {
	in      *input.Source
	file    *os.File
	origin  table.Origin
	mem     *arrays.Allocator
	check   *parquetcheck.File
	schema  *arrow.Schema
	columns []*column
	left    []left
	wanted  func(column string) bool // nil: all columns are wanted
	widths  map[int]int              // result of anyLength
	rows    int64
	batch   int64
	threads int // of readRegular
	rooms   par.Lender[pageRoom]
	mapID   string
	// groups are the row groups with rows, and end is the row after the last.
	groups []int
	meta   *metadata.FileMetaData
	fr     *pqarrow.FileReader
	end    int64
}

func NewReader(in *input.Source, batchRows int, memory int64) (table.Reader, error) {
	f, size, err := in.Seekable(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	check, err := parquetcheck.Open(f, size, parquetcheck.Limits{Page: memory})
	if err != nil {
		return nil, explain(in.Origin, err)
	}
	r := &reader{in: in, file: f, origin: in.Origin, check: check, mem: &arrays.Allocator{Limit: 2 * memory}, batch: int64(batchRows), threads: par.Threads(0)}
	if err := r.open(); err != nil {
		return nil, explain(in.Origin, err)
	}
	return r, nil
}

// Parts divides the row groups between readers that share only the file and its footer.
func (r *reader) Parts(most int) ([]table.Reader, error) {
	var out []table.Reader
	at, n := int64(0), min(most, len(r.groups))
	for i := range n {
		part := &reader{file: r.file, origin: r.origin, check: r.check, mem: &arrays.Allocator{Limit: r.mem.Limit}, batch: r.batch, threads: max(1, r.threads/n), mapID: r.mapID, meta: r.meta, wanted: r.wanted, widths: r.widths,
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

// contained runs f and converts panics and faults in this goroutine to errors.
func contained(f func() error) (err error) {
	defer arrays.Recovered(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return f()
}

func (r *reader) open() error {
	return contained(func() error {
		props := parquet.NewReaderProperties(r.mem)
		props.MaxCompressedPageSize, props.MaxUncompressedPageSize = math.MaxInt32, r.check.MaxPage()
		meta := r.meta
		if meta == nil {
			var err error
			if meta, err = r.metadata(); err != nil {
				return err
			}
		}
		pf, err := file.NewParquetReader(r.file, file.WithReadProps(props), file.WithMetadata(meta))
		if err != nil {
			return err
		}
		if id := pf.MetaData().KeyValueMetadata().FindValue(table.MapIDKey); id != nil {
			r.mapID = *id
		}
		pf.MetaData().FileMetaData.KeyValueMetadata = nil
		if err := withoutIndex(pf); err != nil {
			return err
		}
		if r.fr, err = describedReader(pf, r.batch, r.mem); err != nil {
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
		return r.describe()
	})
}

// metadata parses the footer with the library.
func (r *reader) metadata() (*metadata.FileMetaData, error) {
	meta, err := metadata.NewFileMetaData(r.check.TakeFooter(), nil)
	if err != nil {
		return nil, err
	}
	size, err := r.file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	meta.SetSourceFileSize(size)
	withoutStatistics(meta)
	r.widths, err = anyLength(meta)
	return meta, err
}

// withoutStatistics releases what is not read of the footer, a third of it in files of many columns.
func withoutStatistics(meta *metadata.FileMetaData) {
	for _, g := range meta.RowGroups {
		for _, c := range g.Columns {
			if m := c.MetaData; m != nil {
				m.Statistics, m.SizeStatistics, m.GeospatialStatistics, m.KeyValueMetadata = nil, nil, nil, nil
			}
		}
	}
}

// withoutIndex omits the index of pages, which is not read. The library otherwise looks for the
// places of all columns' indices each time it opens a column, in time that grows with the square of
// the number of columns.
func withoutIndex(pf *file.Reader) error {
	groups := make([]int32, pf.NumRowGroups())
	for i, g := range pf.MetaData().RowGroups {
		groups[i] = int32(i)
		for _, c := range g.Columns {
			c.ColumnIndexOffset, c.ColumnIndexLength, c.OffsetIndexOffset, c.OffsetIndexLength = nil, nil, nil, nil
		}
	}
	return pf.GetPageIndexReader().WillNeed(groups, nil, metadata.PageIndexSelection{})
}

// describedReader returns the library's reader of a file with the columns' types.
func describedReader(pf *file.Reader, batch int64, mem memory.Allocator) (*pqarrow.FileReader, error) {
	props := pqarrow.ArrowReadProperties{BatchSize: batch}
	if fr, err := pqarrow.NewFileReader(pf, props, mem); err == nil {
		return fr, nil
	}
	if err := plainStorage(pf.MetaData()); err != nil {
		return nil, err
	}
	return pqarrow.NewFileReader(pf, props, mem)
}

// describe lists the columns that are read and those that are not.
func (r *reader) describe() error {
	var fields []arrow.Field
	var why error
	manifest := r.fr.Manifest
	manifest.ColIndexToField, manifest.ChildToParent = nil, nil // only needed to select fields by their columns
	for _, f := range flat(nil, manifest.Fields, "", false) {
		c, field, err := newColumn(f)
		if err == nil {
			err = r.readable(c)
		}
		if err == nil && r.width(c) > 0 {
			field.Type = &arrow.FixedSizeBinaryType{ByteWidth: r.width(c)}
		}
		if err != nil {
			if r.left = append(r.left, left{field, err}); err != errStructs {
				why = fmt.Errorf("column %q: %w", field.Name, err)
			}
			continue
		}
		if r.wanted == nil || r.wanted(field.Name) {
			fields = append(fields, field)
			r.columns = append(r.columns, c)
		}
	}
	r.schema = arrow.NewSchema(fields, nil)
	if len(fields) == 0 {
		return why
	}
	return nil
}

// Narrow excludes unwanted columns from decoding. If none is wanted, the first is decoded to count
// the rows.
func (r *reader) Narrow(wanted func(column string) bool) {
	if !slices.ContainsFunc(r.schema.Fields(), func(f arrow.Field) bool { return wanted(f.Name) }) {
		if r.schema.NumFields() == 0 {
			return
		}
		first := r.schema.Field(0).Name
		wanted = func(column string) bool { return column == first }
	}
	r.wanted = wanted
	var fields []arrow.Field
	var columns []*column
	for i, f := range r.schema.Fields() {
		if wanted(f.Name) {
			fields, columns = append(fields, f), append(columns, r.columns[i])
		}
	}
	r.schema, r.columns = arrow.NewSchema(fields, nil), columns
}

func (r *reader) Schema() table.Schema   { return table.Describe(r.schema) }
func (r *reader) MapID() string          { return r.mapID }
func (r *reader) NumRows() (int64, bool) { return r.rows, true }

// Close closes the file. It does nothing for a part.
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
	arrs := r.readRegular(n)
	for i, c := range r.columns {
		err := contained(func() (err error) {
			if arrs[i] == nil {
				arrs[i], err = r.read(c, n)
			}
			if n == left {
				r.close(c)
			}
			return err
		})
		if err != nil {
			return nil, r.bad(r.schema.Field(i).Name, err)
		}
	}
	t := table.OfRecord(r.origin, array.NewRecord(r.schema, arrs, n))
	r.origin.Row += n
	if n == left { // the footer of many columns is larger than their values
		r.fr, r.meta, r.check, r.columns = nil, nil, nil, nil
	}
	return t, nil
}

// bad returns the error of a column that cannot be read.
func (r *reader) bad(column string, err error) error {
	if errors.Is(err, parquetcheck.ErrUnsupported) || errors.Is(err, arrow18.ErrNotImplemented) || strings.Contains(err.Error(), "outside the Arrow nanosecond range") {
		return r.origin.BadColumn(column, "the column cannot be read").Because(err)
	}
	return r.origin.BadAt(0, column, "the Parquet data is corrupt").Because(err)
}

// left is a column that is not read, with the reason.
type left struct {
	field arrow.Field
	why   error
}

// Left returns the columns that are not read. Their types contain the reason, if it is not the type
// itself.
func (r *reader) Left() table.Schema {
	fields := make([]arrow.Field, len(r.left))
	for i, l := range r.left {
		if fields[i] = l.field; l.field.Type == nil {
			fields[i].Type = arrow.Null
		}
	}
	s := table.Describe(arrow.NewSchema(fields, nil))
	for i, l := range r.left {
		if l.why == errStructs {
			continue
		}
		s[i].Type = fmt.Sprintf("%s (%v)", s[i].Type, l.why)
	}
	return s
}

// ArrowSchema returns the schema of the tables.
func (r *reader) ArrowSchema() *arrow.Schema { return r.schema }
