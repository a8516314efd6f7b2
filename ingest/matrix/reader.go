package matrix

import (
	"context"
	"io"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/dense"
	"unfold/ingest/table"
	"unfold/sparse"
)

// Shape is the shape of a matrix in a file.
type Shape struct {
	Rows, Columns int64
	// Entries is the number of stored entries, some of which may be 0.
	Entries int64
}

// emptyRows is the maximum number of rows without entries, because memory is allocated for the
// number in the header.
const emptyRows = 1 << 24

// Check returns an error for an invalid shape; o is the origin of the file.
func (s Shape) Check(o table.Origin) error {
	switch {
	case s.Rows < 0 || s.Columns < 1 || s.Entries < 0:
		return o.Bad("its header says a matrix of %d x %d with %d entries", s.Rows, s.Columns, s.Entries)
	case s.Rows > math.MaxInt32 || 4*s.Columns > dense.MaxRow || s.Rows-emptyRows > s.Entries:
		return o.Bad("it is a matrix of %d x %d, more than is read", s.Rows, s.Columns)
	}
	return nil
}

// Reader returns the rows of a sparse matrix in full, some megabytes at a time. It implements
// table.Sparse.
type Reader struct {
	origin table.Origin
	shape  Shape
	load   func(ctx context.Context) (*sparse.Rows, error)
	close  func() error
	batch  int
	a      *sparse.Rows
}

// NewReader returns a reader for a matrix of the given shape. load reads the matrix, once, and
// builds it with OfRows or OfTriplets. close releases the source.
func NewReader(o table.Origin, s Shape, batchRows int, load func(ctx context.Context) (*sparse.Rows, error), close func() error) (*Reader, error) {
	if err := s.Check(o); err != nil {
		return nil, err
	}
	return &Reader{origin: o, shape: s, load: load, close: close, batch: batchRows}, nil
}

func (r *Reader) NumRows() (int64, bool) { return r.shape.Rows, true }
func (r *Reader) Close() error           { return r.close() }

// Entries returns the number of entries in the file.
func (r *Reader) Entries() int64 { return r.shape.Entries }

// Matrix returns all rows.
func (r *Reader) Matrix(ctx context.Context) (*sparse.Rows, error) {
	if r.a == nil {
		a, err := r.load(ctx)
		if err != nil {
			return nil, err
		}
		r.a = a
	}
	return r.a, nil
}

func (r *Reader) Schema() table.Schema {
	dt := arrow.FixedSizeListOfNonNullable(int32(r.shape.Columns), arrow.PrimitiveTypes.Float32)
	return table.Schema{{Name: dense.VectorName, Type: table.TypeName(dt), Kind: table.Vector, Dim: int(r.shape.Columns)}}
}

// fullBytes is the maximum size of a table, which has at least one row.
const fullBytes = 8 << 20

func (r *Reader) Next(ctx context.Context) (*table.Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := r.Matrix(ctx)
	if err != nil {
		return nil, err
	}
	first := int(r.origin.Row)
	n := min(r.batch, a.N()-first, max(1, fullBytes/(4*a.M())))
	if n <= 0 {
		return nil, io.EOF
	}
	values := make([]float32, n*a.M())
	for i := range n {
		index, data := a.Row(first + i)
		row := values[i*a.M() : (i+1)*a.M()]
		for p, j := range index {
			row[j] = float32(data[p])
		}
	}
	column := table.FixedArray(arrow.PrimitiveTypes.Float32, len(values), arrow.Float32Traits.CastToBytes(values))
	t, err := table.NewTable(r.origin, table.NewColumn(dense.VectorName, table.FixedList(n, a.M(), column)))
	r.origin.Row += int64(n)
	return t, err
}

// OfRows returns a matrix of n rows and m columns from arrays by rows: the entries of row i are
// start[i] to start[i+1]. Columns may be in any order, and repeated entries are added. It takes
// ownership of the slices. o is the origin of the file, and line names the unit of start in errors:
// rows or columns.
func OfRows(o table.Origin, line string, n, m int, start []int, index []int, data []float64) (*sparse.Rows, error) {
	if len(start) != n+1 || len(index) != len(data) || start[0] != 0 || start[n] != len(data) {
		return nil, o.Bad("its arrays contradict each other: %d starts of %d %ss, %d indices, %d values", len(start), n, line, len(index), len(data))
	}
	for i := range n {
		if start[i] > start[i+1] || start[i+1] > len(data) {
			return nil, o.Bad("%s %d begins at entry %d and ends at %d of %d", line, i+1, start[i], start[i+1], len(data))
		}
		for _, j := range index[start[i]:start[i+1]] {
			if j < 0 || j >= m {
				return nil, o.Bad("%s %d has an entry at %d of %d", line, i+1, j, m)
			}
		}
	}
	a := sparse.NewRows(n, m, start, index, data)
	a.Tidy()
	return a, nil
}

// OfTriplets returns a matrix of n rows and m columns with values at rows and columns, counted from
// 0. Values at the same position are added.
func OfTriplets(o table.Origin, n, m int, rows, columns []int32, values []float64) (*sparse.Rows, error) {
	if len(rows) != len(values) || len(columns) != len(values) {
		return nil, o.Bad("its arrays contradict each other: %d rows, %d columns, %d values", len(rows), len(columns), len(values))
	}
	for p, i := range rows {
		if i < 0 || int(i) >= n || columns[p] < 0 || int(columns[p]) >= m {
			return nil, o.Bad("its entry %d is in row %d and column %d of %d x %d", p+1, i+1, columns[p]+1, n, m)
		}
	}
	a := sparse.RowsFromTriplets(n, m, rows, columns, values)
	a.Tidy()
	return a, nil
}

// Single rounds a matrix to single precision, like vectors. Larger values are errors that name the
// row.
func Single(o table.Origin, a *sparse.Rows) (*sparse.Rows, error) {
	zeros := false
	for i := range a.N() {
		index, data := a.Row(i)
		for p, v := range data {
			if !table.Finite32(v) {
				return nil, table.NotFinite(o.BadAt(i, dense.VectorName, "element %d of the vector is %v", index[p], v))
			}
			data[p] = float64(float32(v))
			zeros = zeros || data[p] == 0
		}
	}
	if zeros { // values below the smallest number
		a.Tidy()
	}
	return a, nil
}
