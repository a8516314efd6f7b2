package ingest

import (
	"slices"

	"unfold/ingest/table"
)

// sparseFit is the Fitter's state for a column of sparse vectors. Their length is the size that
// rows give, or otherwise determined by the largest index of all rows.
type sparseFit struct {
	sized   bool // a row gave its size
	entries int
	row     []float64 // memory for one full row
}

// Entries returns the number of entries of the sparse vectors so far, 0 for other columns.
func (f *Fitter) Entries() int {
	if f.sparse == nil {
		return 0
	}
	return f.sparse.entries
}

// addSparse adds sparse vectors.
func (f *Fitter) addSparse(c table.Column, o table.Origin) error {
	s := f.sparse
	if s == nil { // after a file of full vectors, which gives the length
		s = &sparseFit{sized: f.dim > 0}
	}
	rows := table.NewSparseRows(c, o, f.mapping.lacks())
	for i := range c.Len() {
		if err := s.read(rows, i, f.dim); err != nil {
			return err
		}
		f.dim = max(f.dim, rows.Width())
		s.sized = s.sized || rows.Size > 0
		s.entries += len(rows.Index)
		if f.mapping.Metric == Cosine && !slices.ContainsFunc(rows.Value, func(v float64) bool { return v != 0 }) {
			f.behind.blank++
		}
		if f.mapping.Standardize || f.mapping.Fill {
			before := f.rows - int64(c.Len()-i)
			f.addRow(s.full(f, rows, before))
		}
	}
	return nil
}

// read reads a row. Its length is checked if it is known.
func (s *sparseFit) read(rows *table.SparseRows, i, dim int) error {
	if s.sized {
		return rows.ReadOf(i, dim)
	}
	return rows.Read(i, maxDim)
}

// full returns the last row in full. An element that occurs for the first time was 0 in the rows
// before it.
func (s *sparseFit) full(f *Fitter, rows *table.SparseRows, before int64) []float64 {
	for len(f.element) < f.dim {
		f.element = append(f.element, moments{n: float64(before)})
	}
	s.row = append(s.row[:0], make([]float64, f.dim)...)
	for p, j := range rows.Index {
		s.row[j] = rows.Value[p]
	}
	return s.row
}
