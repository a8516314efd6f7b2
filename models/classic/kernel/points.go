package kernel

import "unfold/internal/vec"

// Points is the set of points that a kernel compares with: the rows of a matrix, and its columns as
// separate slices for vector instructions.
type Points struct {
	Rows    vec.Matrix[float64]
	Columns [][]float64
}

// NewPoints returns the rows of x, which it keeps without a copy. Call Update after they have
// changed.
func NewPoints(x vec.Matrix[float64]) *Points {
	z := &Points{Rows: x, Columns: make([][]float64, x.Cols)}
	for c := range z.Columns {
		z.Columns[c] = make([]float64, x.Rows)
	}
	z.Update()
	return z
}

// Update copies the changed rows to the columns.
func (z *Points) Update() {
	for i := range z.Rows.Rows {
		for c, v := range z.Rows.Row(i) {
			z.Columns[c][i] = v
		}
	}
}

// Len is the number of points.
func (z *Points) Len() int { return z.Rows.Rows }

// Room is the workspace of one goroutine for comparisons with Points.
type Room struct {
	a, b []float64 // of each point
	sum  []float64 // of each column, and one more
}

// NewRoom returns room for z.
func NewRoom(z *Points) *Room {
	n := z.Len()
	return &Room{make([]float64, n), make([]float64, n), make([]float64, len(z.Columns)+1)}
}
