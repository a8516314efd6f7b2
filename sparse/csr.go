package sparse

import (
	"fmt"
	"slices"
)

// CSR is an N x M sparse matrix stored by rows, made by this module for its own products. Matrices
// of files and callers are Rows. The columns of row i are Index[Start[i]:Start[i+1]], strictly
// ascending; their values are the same elements of Data. Start has N+1 entries. Values may be zero.
// A pattern has no Data and only supports the methods NNZ, Bytes and Find.
type CSR struct {
	N, M  int
	Start []int
	Index []int32
	Data  []float64
}

// ShapeError is the panic value of this package for sizes that do not match or an index out of
// range, which are errors of the calling code.
type ShapeError struct {
	Func, Message string
}

func (e ShapeError) Error() string { return "sparse: " + e.Func + ": " + e.Message }

func shapePanic(fn, format string, a ...any) {
	panic(ShapeError{Func: fn, Message: fmt.Sprintf(format, a...)})
}

// NNZ returns the number of stored entries.
func (c *CSR) NNZ() int { return len(c.Index) }

// Bytes returns the memory of the stored arrays.
func (c *CSR) Bytes() int64 {
	return 8*int64(len(c.Start)) + 4*int64(len(c.Index)) + 8*int64(len(c.Data))
}

// Row returns the columns and values of row i. The slices share memory.
func (c *CSR) Row(i int) (index []int32, data []float64) {
	a, b := c.Start[i], c.Start[i+1]
	return c.Index[a:b:b], c.Data[a:b:b]
}

// Find returns the position in Index and Data of entry (i,j), or -1 if it is not stored.
func (c *CSR) Find(i int, j int32) int {
	p, ok := slices.BinarySearch(c.Index[c.Start[i]:c.Start[i+1]], j)
	if !ok {
		return -1
	}
	return c.Start[i] + p
}

// At returns entry (i,j), zero if it is not stored. It searches the row; use
// Row to read many entries.
func (c *CSR) At(i int, j int32) float64 {
	if p := c.Find(i, j); p >= 0 {
		return c.Data[p]
	}
	return 0
}

// Clone returns a copy with its own memory.
func (c *CSR) Clone() *CSR {
	return &CSR{
		N: c.N, M: c.M,
		Start: slices.Clone(c.Start), Index: slices.Clone(c.Index), Data: slices.Clone(c.Data),
	}
}

// Transpose returns the M x N transpose.
func (c *CSR) Transpose() *CSR {
	t := &CSR{N: c.M, M: c.N, Start: make([]int, c.M+1), Index: make([]int32, c.NNZ()), Data: make([]float64, c.NNZ())}
	for _, j := range c.Index {
		t.Start[j+1]++
	}
	for j := range t.N {
		t.Start[j+1] += t.Start[j]
	}
	next := slices.Clone(t.Start[:t.N])
	for i := range c.N {
		index, data := c.Row(i)
		for p, j := range index {
			q := next[j]
			next[j]++
			t.Index[q], t.Data[q] = int32(i), data[p]
		}
	}
	return t
}

// Stack concatenates the rows of several matrices with equal numbers of columns. It returns a
// single matrix unchanged, and nil for none.
func Stack(parts ...*CSR) *CSR {
	if len(parts) < 2 {
		return append(parts, nil)[0]
	}
	out := &CSR{M: parts[0].M, Start: []int{0}}
	for _, c := range parts {
		if c.M != out.M {
			shapePanic("Stack", "%d and %d columns", out.M, c.M)
		}
		for _, end := range c.Start[1:] {
			out.Start = append(out.Start, len(out.Index)+end)
		}
		out.N += c.N
		out.Index, out.Data = append(out.Index, c.Index...), append(out.Data, c.Data...)
	}
	return out
}

// Diagonal writes the diagonal of a square matrix to dst (N) and returns it;
// a nil dst is allocated.
func (c *CSR) Diagonal(dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, c.N)
	}
	if c.N != c.M || len(dst) != c.N {
		shapePanic("Diagonal", "%d x %d matrix, %d values", c.N, c.M, len(dst))
	}
	for i := range dst {
		dst[i] = c.At(i, int32(i))
	}
	return dst
}

// Validate returns an error if the arrays do not describe a CSR. It checks lengths, ascending
// Start, and strictly ascending columns in range. It does not check the values.
func (c *CSR) Validate() error {
	if c.N < 0 || c.M < 0 || len(c.Start) != c.N+1 {
		return fmt.Errorf("sparse: %d x %d matrix with %d row starts, want %d", c.N, c.M, len(c.Start), c.N+1)
	}
	if c.Start[0] != 0 || c.Start[c.N] != len(c.Index) || len(c.Index) != len(c.Data) {
		return fmt.Errorf("sparse: rows span %d..%d of %d columns and %d values", c.Start[0], c.Start[c.N], len(c.Index), len(c.Data))
	}
	for i := range c.N {
		a, b := c.Start[i], c.Start[i+1]
		if a > b || b > len(c.Index) {
			return fmt.Errorf("sparse: row %d spans %d..%d of %d entries", i, a, b, len(c.Index))
		}
		for p := a; p < b; p++ {
			if j := c.Index[p]; j < 0 || int(j) >= c.M {
				return fmt.Errorf("sparse: row %d has column %d of %d", i, j, c.M)
			}
			if p > a && c.Index[p] <= c.Index[p-1] {
				return fmt.Errorf("sparse: row %d has column %d after %d", i, c.Index[p], c.Index[p-1])
			}
		}
	}
	return nil
}
