package sparse

import (
	"fmt"
	"math"

	bowman "github.com/james-bowman/sparse"
)

// ToBowman returns a copy of the matrix as a CSR of james-bowman/sparse. That library multiplies in
// assembly without bounds checks, so a matrix that does not pass Validate is rejected.
func (c *CSR) ToBowman() (*bowman.CSR, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("sparse: to james-bowman/sparse: %w", err)
	}
	start, index := make([]int, len(c.Start)), make([]int, len(c.Index))
	copy(start, c.Start)
	for p, j := range c.Index {
		index[p] = int(j)
	}
	return bowman.NewCSR(c.N, c.M, start, index, append([]float64(nil), c.Data...)), nil
}

// FromBowman returns a copy of a CSR of james-bowman/sparse, with sorted columns and repeated
// entries added. It returns an error if the arrays are inconsistent or an index is out of range.
func FromBowman(b *bowman.CSR) (*CSR, error) {
	raw := b.RawMatrix()
	n, m := raw.I, raw.J
	if n < 0 || m < 0 || m > math.MaxInt32 || n > math.MaxInt32 {
		return nil, fmt.Errorf("sparse: from james-bowman/sparse: %d x %d matrix, at most %d a side", n, m, math.MaxInt32)
	}
	if len(raw.Indptr) != n+1 || len(raw.Ind) != len(raw.Data) {
		return nil, fmt.Errorf("sparse: from james-bowman/sparse: %d row starts for %d rows, %d columns for %d values",
			len(raw.Indptr), n, len(raw.Ind), len(raw.Data))
	}
	rows, cols := make([]int32, 0, len(raw.Ind)), make([]int32, 0, len(raw.Ind))
	if raw.Indptr[0] != 0 || raw.Indptr[n] != len(raw.Ind) {
		return nil, fmt.Errorf("sparse: from james-bowman/sparse: rows span %d..%d of %d entries", raw.Indptr[0], raw.Indptr[n], len(raw.Ind))
	}
	for i := range n {
		a, z := raw.Indptr[i], raw.Indptr[i+1]
		if a > z || z > len(raw.Ind) {
			return nil, fmt.Errorf("sparse: from james-bowman/sparse: row %d spans %d..%d of %d entries", i, a, z, len(raw.Ind))
		}
		for _, j := range raw.Ind[a:z] {
			if j < 0 || j >= m {
				return nil, fmt.Errorf("sparse: from james-bowman/sparse: row %d has column %d of %d", i, j, m)
			}
			rows, cols = append(rows, int32(i)), append(cols, int32(j))
		}
	}
	return FromTriplets(n, m, rows, cols, raw.Data), nil
}
