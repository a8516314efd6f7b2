package dense

import (
	"context"
	"io"
	"math"
	"unfold/ingest/input"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
)

// Reader reads the rows of a file with one dense array: IDX and npy. A row of several numbers
// becomes the vector column "vector" with the number type of the file; an array of one dimension
// becomes the plain column "value".
type Reader struct {
	in     io.Reader
	close  func() error
	origin table.Origin
	Element
	rows  int64
	dim   int // 0 for a plain column
	batch int
}

// Element is the encoding of an array's elements.
type Element struct {
	Dt      arrow.DataType
	Width   int // bytes
	Big     bool
	Boolean bool
	Text    byte // 'U' for strings of 4-byte characters, 'S' for strings of bytes, otherwise 0
}

// NewReader reads an array with the given dimensions, which begins at the next byte of in.
func NewReader(in *input.Source, e Element, dims []int64, batchRows int) (*Reader, error) {
	r := &Reader{in: in, close: in.Close, origin: in.Origin, Element: e, batch: batchRows}
	return r, r.shape(dims)
}

// From replaces the source of the elements, which must be in the order of rows.
func (r *Reader) From(in io.Reader) { r.in = in }

// VectorName is the name of the vector column of files with one array, or with a sparse matrix.
// valueName is the name of a plain column.
const (
	VectorName = "vector"
	valueName  = "value"
)

// MaxRow is the maximum number of bytes of a row, because a header may claim any size.
const MaxRow = 64 << 20

// shape checks a header's dimensions and sets rows and dim.
func (r *Reader) shape(dims []int64) error {
	if len(dims) == 0 {
		return r.origin.Bad("it holds a single number, not an array of rows")
	}
	r.rows = dims[0]
	if r.rows < 0 {
		return r.origin.Bad("its header says %d rows", r.rows)
	}
	dim := int64(1)
	for _, d := range dims[1:] {
		if d <= 0 || d > MaxRow || dim*d > MaxRow/int64(r.Width) {
			return r.origin.Bad("its header says rows of shape %v", dims[1:])
		}
		dim *= d
	}
	if r.rows > math.MaxInt64/(dim*int64(r.Width)) {
		return r.origin.Bad("its header says %d rows, more than there can be", r.rows)
	}
	if len(dims) > 1 {
		r.dim = int(dim)
	}
	return nil
}

func (r *Reader) NumRows() (int64, bool) { return r.rows, true }
func (r *Reader) Close() error           { return r.close() }

func (r *Reader) Schema() table.Schema {
	if r.dim == 0 {
		return table.Schema{{Name: valueName, Type: table.TypeName(r.columnType()), Kind: table.KindOf(r.columnType())}}
	}
	dt := arrow.FixedSizeListOfNonNullable(int32(r.dim), r.Dt)
	return table.Schema{{Name: VectorName, Type: table.TypeName(dt), Kind: table.Vector, Dim: r.dim}}
}

func (r *Reader) columnType() arrow.DataType {
	if r.Boolean {
		return arrow.FixedWidthTypes.Boolean
	}
	return r.Dt
}

func (r *Reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.origin.Row >= r.rows {
		return nil, r.end()
	}
	per := max(r.dim, 1)
	// A batch is also limited to 8 MiB, but has at least one row.
	n := int(min(int64(r.batch), r.rows-r.origin.Row, int64(max(1, 8<<20/max(1, per*r.Width)))))
	raw := make([]byte, n*per*r.Width)
	if got, err := io.ReadFull(r.in, raw); err != nil {
		if err != io.EOF && err != io.ErrUnexpectedEOF {
			return nil, input.ReadError(r.origin, err)
		}
		e := r.origin.BadAt(got/max(1, per*r.Width), "", "the file is truncated: its header says %d rows", r.rows)
		return nil, e.Suggest("get it again")
	}
	if r.Text != 0 {
		return r.texts(raw, n)
	}
	Swap(raw, r.Width, r.Big)
	col := table.FixedArray(r.Dt, n*per, raw)
	var t *table.Table
	var err error
	switch {
	case r.dim > 0:
		t, err = table.NewTable(r.origin, table.NewColumn(VectorName, table.FixedList(n, r.dim, col)))
	case r.Boolean:
		values := make([]bool, n)
		for i := range values {
			values[i] = raw[i] != 0
		}
		t, err = table.NewTable(r.origin, table.BoolColumn(valueName, values))
	default:
		t, err = table.NewTable(r.origin, table.NewColumn(valueName, col))
	}
	r.origin.Row += int64(n)
	return t, err
}

// Take returns the next n rows, which there must be, as one column.
func (r *Reader) Take(ctx context.Context, n int) (c table.Column, err error) {
	var parts []table.Column
	for n > 0 {
		r.batch = n
		t, err := r.Next(ctx)
		if err != nil {
			return c, err
		}
		parts = append(parts, t.At(0))
		n -= t.Len()
	}
	return table.Concat(parts...)
}

// end checks that nothing follows the last row; reading on also lets gzip
// verify its checksum.
func (r *Reader) end() error {
	var one [1]byte
	switch n, err := r.in.Read(one[:]); {
	case n > 0:
		return r.origin.Bad("there is more data than the header's %d rows", r.rows).Suggest("the file is corrupt")
	case err != nil && err != io.EOF:
		return input.ReadError(r.origin, err)
	}
	return io.EOF
}

// Swap turns big-endian elements into little-endian ones.
func Swap(raw []byte, width int, big bool) {
	if !big || width == 1 {
		return
	}
	for i := 0; i < len(raw); i += width {
		for a, b := i, i+width-1; a < b; a, b = a+1, b-1 {
			raw[a], raw[b] = raw[b], raw[a]
		}
	}
}
