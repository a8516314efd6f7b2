package unfold

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/shift"
	"unfold/internal/vec"
	"unfold/models"
	own "unfold/sparse"
)

// Rows are vectors in single precision, one slice each. All have the same length.
type Rows [][]float32

var _ mat.Matrix = Rows{}

// Dims returns the number of vectors and the length of the first.
func (r Rows) Dims() (rows, cols int) {
	if len(r) == 0 {
		return 0, 0
	}
	return len(r), len(r[0])
}

// At returns element j of vector i.
func (r Rows) At(i, j int) float64 { return float64(r[i][j]) }

// T returns the transpose, which shares memory.
func (r Rows) T() mat.Matrix { return mat.Transpose{Matrix: r} }

// Flat are vectors in single precision in one slice: vector i is Data[i*Stride:i*Stride+Cols].
// Its fields are those of gonum's blas32.General, which converts to it.
type Flat struct {
	Rows, Cols int
	// Stride is the distance between the starts of two vectors, at least Cols.
	Stride int
	// Data holds at least (Rows-1)*Stride + Cols values.
	Data []float32
}

var _ mat.Matrix = Flat{}

// Dims returns the number of vectors and their length.
func (f Flat) Dims() (rows, cols int) { return f.Rows, f.Cols }

// At returns element j of vector i. It panics if j is not below Cols.
func (f Flat) At(i, j int) float64 {
	if j < 0 || j >= f.Cols {
		panic(mat.ErrColAccess)
	}
	return float64(f.Data[i*f.Stride+j])
}

// T returns the transpose, which shares memory.
func (f Flat) T() mat.Matrix { return mat.Transpose{Matrix: f} }

// source reads the rows of a matrix in single precision.
type source struct {
	rows, cols int
	// read writes row i to dst, which has cols elements.
	read func(dst []float32, i int) error
	// wide reads row i in double precision, into memory of its own; nil if all values are in single
	// precision.
	wide func(i int) []float64
}

// sourceOf selects the way to read a matrix by its type, so that rows are read faster than with At
// if possible.
func sourceOf(x mat.Matrix) (source, error) {
	if x == nil {
		return source{}, models.BadInputf("there is no matrix")
	}
	rows, cols := x.Dims()
	s := source{rows: rows, cols: cols}
	switch m := x.(type) {
	case Rows:
		s.read = m.read
	case Flat:
		if m.Rows < 0 || m.Cols < 0 || m.Stride < m.Cols || m.Rows > 0 && len(m.Data) < (m.Rows-1)*m.Stride+m.Cols {
			return s, models.BadInputf("%d values with a stride of %d do not hold %d rows of %d", len(m.Data), m.Stride, m.Rows, m.Cols)
		}
		s.read = func(dst []float32, i int) error { copy(dst, m.Data[i*m.Stride:]); return nil }
	case *sparse.CSR:
		c, err := own.FromBowman(m)
		if err != nil {
			return s, models.BadInputf("%w", err)
		}
		s.read = func(dst []float32, i int) error { return scatter(dst, c, i) }
	case mat.RawMatrixer:
		raw := m.RawMatrix()
		s.wide = func(i int) []float64 { return raw.Data[i*raw.Stride : i*raw.Stride+raw.Cols] }
	default:
		row := make([]float64, cols)
		s.wide = func(i int) []float64 {
			for j := range row {
				row[j] = x.At(i, j)
			}
			return row
		}
	}
	if s.wide != nil {
		s.read = func(dst []float32, i int) error { return narrow(dst, s.wide(i), i) }
	}
	return s, nil
}

// read copies vector i.
func (r Rows) read(dst []float32, i int) error {
	if len(r[i]) != len(dst) {
		return &RowError{Row: i, Column: -1, problem: fmt.Sprintf("unfold: row %d has %d elements, the first has %d: all need the same", i, len(r[i]), len(dst))}
	}
	copy(dst, r[i])
	return nil
}

// scatter writes the entries of a sparse row into a row of zeros.
func scatter(dst []float32, c *own.Rows, i int) error {
	clear(dst)
	columns, values := c.Row(i)
	for p, j := range columns {
		if err := set(dst, i, j, values[p]); err != nil {
			return err
		}
	}
	return nil
}

// narrow converts a row to single precision.
func narrow(dst []float32, row []float64, i int) error {
	for j, v := range row {
		if err := set(dst, i, j, v); err != nil {
			return err
		}
	}
	return nil
}

// set writes a value in single precision. It returns a *RowError if the value overflows. Values
// that are not finite are kept and checked later, because some kinds support missing values.
func set(dst []float32, i, j int, v float64) error {
	dst[j] = float32(v)
	if math.IsInf(float64(dst[j]), 0) && !math.IsInf(v, 0) {
		return &RowError{Row: i, Column: j, Value: v, problem: fmt.Sprintf("unfold: row %d, element %d of the vector is %g: too large for single precision, scale or standardize the columns", i, j, v)}
	}
	return nil
}

// shift returns the numbers to subtract from the elements of rows before they are rounded (package
// shift), or nil if rounding does not matter. Rows with values that are not finite do not count.
func (s source) shift() []float64 {
	if s.wide == nil {
		return nil
	}
	n, first, rounded := 0.0, []float64(nil), false
	sum, sum2 := make([]float64, s.cols), make([]float64, s.cols)
	for i := range s.rows {
		row := s.wide(i)
		if !vec.Finite(row) {
			continue
		}
		if n++; first == nil {
			first = slices.Clone(row)
		}
		for j, v := range row {
			rounded = rounded || float64(float32(v)) != v
			v -= first[j]
			sum[j] += v
			sum2[j] += v * v
		}
	}
	by, far := make([]float64, s.cols), false
	for j := range by {
		if !rounded || n == 0 {
			return nil
		}
		mean := sum[j] / n
		by[j] = shift.Of(first[j]+mean, math.Sqrt(max(0, sum2[j]/n-mean*mean)), 1)
		far = far || by[j] != 0
	}
	if !far {
		return nil
	}
	return by
}

// shifted returns the source with numbers subtracted from the elements in double precision.
func (s source) shifted(by []float64) source {
	if by == nil {
		return s
	}
	out, row, single := s, make([]float64, s.cols), make([]float32, s.cols)
	out.wide = func(i int) []float64 {
		copy(row, s.wide(i))
		for j, v := range by {
			row[j] -= v
		}
		return row
	}
	out.read = func(dst []float32, i int) error { return narrow(dst, out.wide(i), i) }
	if s.wide == nil {
		out.wide = nil
		out.read = func(dst []float32, i int) error {
			if err := s.read(single, i); err != nil {
				return err
			}
			for j, v := range single {
				row[j] = float64(v) - by[j]
			}
			return narrow(dst, row, i)
		}
	}
	return out
}

// dense copies rows from..to (to excluded).
func (s source) dense(from, to int) (vec.Matrix[float32], error) {
	if n := to - from; s.cols > 0 && n > math.MaxInt/4/s.cols {
		return vec.Matrix[float32]{}, models.BadInputf("%d x %d values are too many", n, s.cols)
	}
	out := vec.New[float32](to-from, s.cols)
	for i := from; i < to; i++ {
		if err := s.read(out.Row(i-from), i); err != nil {
			return out, err
		}
	}
	return out, nil
}

// batch is the number of rows that are copied at a time if each row is processed by itself.
const batch = 4096

// each calls do for batches of all rows. at is the index of the first row of a batch. Errors of do
// must refer to the rows of the batch.
func (s source) each(ctx context.Context, do func(at int, x vec.Matrix[float32]) error) error {
	for at := 0; at < s.rows; at += batch {
		x, err := s.dense(at, min(at+batch, s.rows))
		if err != nil {
			return err
		}
		if err := do(at, x); err != nil {
			return public(err, at)
		}
	}
	return ctx.Err()
}
