package ingest

import (
	"context"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
)

// rawReader gives the rows of files that are one dense array: IDX and npy. A
// row of several numbers becomes the vector column "vector", as the type that
// the file holds; an array of one dimension becomes the plain column "value".
type rawReader struct {
	in     io.Reader
	close  func() error
	origin Origin
	element
	rows  int64
	dim   int // 0 for a plain column
	batch int
}

// element is how an array holds its elements.
type element struct {
	dt      arrow.DataType
	width   int // bytes
	big     bool
	boolean bool
	text    byte // 'U' for texts of 4-byte characters, 'S' for texts of bytes, else 0
}

// newRawReader reads an array of so many dimensions, whose first byte is next.
func newRawReader(in *opened, e element, dims []int64, batchRows int) (*rawReader, error) {
	r := &rawReader{in: in, close: in.Close, origin: in.origin, element: e, batch: batchRows}
	return r, r.shape(dims)
}

// Names of the columns of IDX and npy files.
const (
	VectorName = "vector"
	ValueName  = "value"
)

// maxRow bounds a row's bytes: a header that claims more is not believed.
const maxRow = 64 << 20

// shape checks a header's dimensions and sets rows and dim.
func (r *rawReader) shape(dims []int64) error {
	if len(dims) == 0 {
		return r.origin.bad("it holds a single number, not an array of rows")
	}
	r.rows = dims[0]
	if r.rows < 0 {
		return r.origin.bad("its header says %d rows", r.rows)
	}
	dim := int64(1)
	for _, d := range dims[1:] {
		if d <= 0 || d > maxRow || dim*d > maxRow/int64(r.width) {
			return r.origin.bad("its header says rows of shape %v", dims[1:])
		}
		dim *= d
	}
	if r.rows > math.MaxInt64/(dim*int64(r.width)) {
		return r.origin.bad("its header says %d rows, more than there can be", r.rows)
	}
	if len(dims) > 1 {
		r.dim = int(dim)
	}
	return nil
}

func (r *rawReader) NumRows() (int64, bool) { return r.rows, true }
func (r *rawReader) Close() error           { return r.close() }

func (r *rawReader) Schema() Schema {
	if r.dim == 0 {
		return Schema{{Name: ValueName, Type: typeName(r.columnType()), Kind: kindOf(r.columnType())}}
	}
	dt := arrow.FixedSizeListOfNonNullable(int32(r.dim), r.dt)
	return Schema{{Name: VectorName, Type: typeName(dt), Kind: Vector, Dim: r.dim}}
}

func (r *rawReader) columnType() arrow.DataType {
	if r.boolean {
		return arrow.FixedWidthTypes.Boolean
	}
	return r.dt
}

func (r *rawReader) Next(ctx context.Context) (*Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.origin.Row >= r.rows {
		return nil, r.end()
	}
	per := max(r.dim, 1)
	// A batch is bounded in bytes too: 8 MiB, at least one row.
	n := int(min(int64(r.batch), r.rows-r.origin.Row, int64(max(1, 8<<20/max(1, per*r.width)))))
	raw := make([]byte, n*per*r.width)
	if got, err := io.ReadFull(r.in, raw); err != nil {
		if err != io.EOF && err != io.ErrUnexpectedEOF {
			return nil, readError(r.origin, err)
		}
		e := r.origin.badAt(got/max(1, per*r.width), "", "the file is truncated: its header says %d rows", r.rows)
		return nil, e.hint("get it again")
	}
	if r.text != 0 {
		return r.texts(raw, n)
	}
	swap(raw, r.width, r.big)
	col := fixedArray(r.dt, n*per, raw)
	var t *Table
	var err error
	switch {
	case r.dim > 0:
		t, err = NewTable(r.origin, newColumn(VectorName, fixedList(n, r.dim, col)))
	case r.boolean:
		values := make([]bool, n)
		for i := range values {
			values[i] = raw[i] != 0
		}
		t, err = NewTable(r.origin, BoolColumn(ValueName, values))
	default:
		t, err = NewTable(r.origin, newColumn(ValueName, col))
	}
	r.origin.Row += int64(n)
	return t, err
}

// end checks that nothing follows the last row; reading on also lets gzip
// verify its checksum.
func (r *rawReader) end() error {
	var one [1]byte
	switch n, err := r.in.Read(one[:]); {
	case n > 0:
		return r.origin.bad("there is more data than the header's %d rows", r.rows).hint("the file is corrupt")
	case err != nil && err != io.EOF:
		return readError(r.origin, err)
	}
	return io.EOF
}

// swap turns big-endian elements into little-endian ones.
func swap(raw []byte, width int, big bool) {
	if !big || width == 1 {
		return
	}
	for i := 0; i < len(raw); i += width {
		for a, b := i, i+width-1; a < b; a, b = a+1, b-1 {
			raw[a], raw[b] = raw[b], raw[a]
		}
	}
}
