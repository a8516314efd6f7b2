package sparse

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	bowman "github.com/james-bowman/sparse"
	"github.com/james-bowman/sparse/blas"
)

// Rows are the rows of a sparse matrix that comes from outside: of a file, of columns of sparse
// vectors, or of a program that calls the library. They are held as the CSR of james-bowman/sparse
// itself, so that no way in or out copies them. The columns of row i are strictly ascending, and no
// value is stored twice. Matrices that only this module makes are CSR, whose indices take half the
// room.
type Rows struct {
	*bowman.CSR
}

// NewRows returns the n x m matrix with these arrays, which it takes over: the columns of row i are
// index[start[i]:start[i+1]], strictly ascending, with their values in data. Arrays from other
// sources need Check and Tidy.
func NewRows(n, m int, start, index []int, data []float64) *Rows {
	return &Rows{bowman.NewCSR(n, m, start, index, data)}
}

// FromBowman returns the rows of a CSR of james-bowman/sparse. It shares the memory if these are
// rows as Rows has them; otherwise it copies them, sorts columns and adds repeated entries. It returns
// an error if the arrays are inconsistent or an index is out of range.
func FromBowman(b *bowman.CSR) (*Rows, error) {
	r := &Rows{b}
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("sparse: from james-bowman/sparse: %w", err)
	}
	if raw := r.RawMatrix(); !r.sorted() {
		r = NewRows(raw.I, raw.J, slices.Clone(raw.Indptr), slices.Clone(raw.Ind), slices.Clone(raw.Data))
		r.Sort()
	}
	return r, nil
}

// RowsFromTriplets is FromTriplets for Rows.
func RowsFromTriplets(n, m int, i, j []int32, w []float64) *Rows {
	start, index, data := fromTriplets[int]("RowsFromTriplets", n, m, i, j, w)
	return NewRows(n, m, start, index, data)
}

// N returns the number of rows.
func (r *Rows) N() int { return r.RawMatrix().I }

// M returns the number of columns.
func (r *Rows) M() int { return r.RawMatrix().J }

// Values returns the values of all rows. The slice shares memory.
func (r *Rows) Values() []float64 { return r.RawMatrix().Data }

// Row returns the columns and values of row i. The slices share memory.
func (r *Rows) Row(i int) (index []int, data []float64) {
	raw := r.RawMatrix()
	a, b := raw.Indptr[i], raw.Indptr[i+1]
	return raw.Ind[a:b:b], raw.Data[a:b:b]
}

// Bytes returns the memory of the stored arrays.
func (r *Rows) Bytes() int64 {
	raw := r.RawMatrix()
	return 8 * int64(len(raw.Indptr)+len(raw.Ind)+len(raw.Data))
}

// Check returns an error if the arrays contradict each other, a column is out of range or a side is
// longer than an int32 counts. Columns need not ascend. The kernels of james-bowman/sparse do not
// check indices, so that nothing unchecked may reach them.
func (r *Rows) Check() error {
	raw := r.RawMatrix()
	n, m := raw.I, raw.J
	switch {
	case n < 0 || m < 0 || m > math.MaxInt32 || n > math.MaxInt32:
		return fmt.Errorf("%d x %d matrix, at most %d a side", n, m, math.MaxInt32)
	case len(raw.Indptr) != n+1 || len(raw.Ind) != len(raw.Data):
		return fmt.Errorf("%d row starts for %d rows, %d columns for %d values", len(raw.Indptr), n, len(raw.Ind), len(raw.Data))
	case raw.Indptr[0] != 0 || raw.Indptr[n] != len(raw.Ind):
		return fmt.Errorf("rows span %d..%d of %d entries", raw.Indptr[0], raw.Indptr[n], len(raw.Ind))
	}
	for i := range n {
		a, z := raw.Indptr[i], raw.Indptr[i+1]
		if a > z || z > len(raw.Ind) {
			return fmt.Errorf("row %d spans %d..%d of %d entries", i, a, z, len(raw.Ind))
		}
		for _, j := range raw.Ind[a:z] {
			if j < 0 || j >= m {
				return fmt.Errorf("row %d has column %d of %d", i, j, m)
			}
		}
	}
	return nil
}

// sorted reports that the columns of every row ascend strictly.
func (r *Rows) sorted() bool {
	for i := range r.N() {
		if index, _ := r.Row(i); !ascends(index) {
			return false
		}
	}
	return true
}

// Tidy sorts checked rows from other sources, in place: columns ascend, repeated entries are added
// in order, and zeros are removed.
func (r *Rows) Tidy() { r.tidy(true) }

// Sort is Tidy that keeps zeros.
func (r *Rows) Sort() { r.tidy(false) }

func (r *Rows) tidy(dropZeros bool) {
	c := r.RawMatrix()
	var row []entry
	to := 0
	for i := range c.I {
		from, end := c.Indptr[i], c.Indptr[i+1]
		c.Indptr[i] = to
		if row = row[:0]; !ascends(c.Ind[from:end]) {
			for p := from; p < end; p++ {
				row = append(row, entry{c.Ind[p], c.Data[p]})
			}
			end = from + merge(c, from, row)
		}
		for p := from; p < end; p++ {
			if !dropZeros || c.Data[p] != 0 {
				c.Ind[to], c.Data[to] = c.Ind[p], c.Data[p]
				to++
			}
		}
	}
	c.Indptr[c.I] = to
	c.Ind, c.Data = c.Ind[:to], c.Data[:to]
}

// merge writes entries from position at on, by ascending column, equal columns added in order, and
// returns how many there are.
func merge(c *blas.SparseMatrix, at int, row []entry) (count int) {
	slices.SortStableFunc(row, func(a, b entry) int { return cmp.Compare(a.column, b.column) })
	end := at
	for k, e := range row {
		if k > 0 && e.column == c.Ind[end-1] {
			c.Data[end-1] += e.value
			continue
		}
		c.Ind[end], c.Data[end] = e.column, e.value
		end++
	}
	return end - at
}

// entry is a value with its column.
type entry struct {
	column int
	value  float64
}

// ascends reports columns that ascend strictly.
func ascends(index []int) bool {
	for p := 1; p < len(index); p++ {
		if index[p] <= index[p-1] {
			return false
		}
	}
	return true
}

// Transpose returns the M x N transpose, with memory of its own.
func (r *Rows) Transpose() *Rows {
	start, index, data := transpose[int](r, 0, r.N())
	return NewRows(r.M(), r.N(), start, index, data)
}

// Columns returns the transpose of rows from..to (to excluded): an M x (to-from) matrix.
func (r *Rows) Columns(from, to int) *CSR {
	start, index, data := transpose[int32](r, from, to)
	return &CSR{N: r.M(), M: to - from, Start: start, Index: index, Data: data}
}

// transpose returns the arrays of the transpose of rows from..to, which are counted from from.
func transpose[I int | int32](r *Rows, from, to int) (start []int, index []I, data []float64) {
	raw := r.RawMatrix()
	first, entries := raw.Indptr[from], raw.Indptr[to]-raw.Indptr[from]
	start, index, data = make([]int, raw.J+1), make([]I, entries), make([]float64, entries)
	for _, j := range raw.Ind[first : first+entries] {
		start[j+1]++
	}
	for j := range raw.J {
		start[j+1] += start[j]
	}
	next := slices.Clone(start[:raw.J])
	for i := from; i < to; i++ {
		columns, values := r.Row(i)
		for p, j := range columns {
			q := next[j]
			next[j]++
			index[q], data[q] = I(i-from), values[p]
		}
	}
	return start, index, data
}

// Take returns the named rows in that order, with memory of their own.
func (r *Rows) Take(rows []int32) *Rows {
	start := make([]int, len(rows)+1)
	for k, i := range rows {
		start[k+1] = start[k] + r.RowNNZ(int(i))
	}
	index, data := make([]int, 0, start[len(rows)]), make([]float64, 0, start[len(rows)])
	for _, i := range rows {
		columns, values := r.Row(int(i))
		index, data = append(index, columns...), append(data, values...)
	}
	return NewRows(len(rows), r.M(), start, index, data)
}

// StackRows concatenates the rows of several matrices with equal numbers of columns. It returns a
// single matrix unchanged, and nil for none.
func StackRows(parts ...*Rows) *Rows {
	if len(parts) < 2 {
		return append(parts, nil)[0]
	}
	m, n, entries := parts[0].M(), 0, 0
	for _, r := range parts {
		if r.M() != m {
			shapePanic("StackRows", "%d and %d columns", m, r.M())
		}
		n, entries = n+r.N(), entries+r.NNZ()
	}
	start, index, data := make([]int, 1, n+1), make([]int, 0, entries), make([]float64, 0, entries)
	for _, r := range parts {
		raw := r.RawMatrix()
		for _, end := range raw.Indptr[1:] {
			start = append(start, len(index)+end)
		}
		index, data = append(index, raw.Ind...), append(data, raw.Data...)
	}
	return NewRows(n, m, start, index, data)
}

// Own returns the matrix as this module's products take it: it shares starts and values, and copies
// the columns.
func (r *Rows) Own() *CSR {
	raw := r.RawMatrix()
	c := &CSR{N: raw.I, M: raw.J, Start: raw.Indptr, Index: make([]int32, len(raw.Ind)), Data: raw.Data}
	for p, j := range raw.Ind {
		c.Index[p] = int32(j)
	}
	return c
}

// SquaredDistance returns the squared Euclidean distance between row i and row j of o, which has as
// many columns. It sums, in the order of the columns, squared differences that are each rounded to
// float64. If the sum exceeds most it stops and returns +Inf.
func (r *Rows) SquaredDistance(i int, o *Rows, j int, most float64) float64 {
	a, x := r.Row(i)
	b, y := o.Row(j)
	sum, p, q := 0.0, 0, 0
	for p < len(a) && q < len(b) {
		var d float64
		switch {
		case a[p] < b[q]:
			d = x[p]
			p++
		case a[p] > b[q]:
			d = y[q]
			q++
		default:
			d = x[p] - y[q]
			p++
			q++
		}
		if sum += float64(d * d); sum > most { // not fused on any processor
			return math.Inf(1)
		}
	}
	for _, v := range x[p:] {
		sum += float64(v * v)
	}
	for _, v := range y[q:] {
		sum += float64(v * v)
	}
	if sum > most {
		return math.Inf(1)
	}
	return sum
}
