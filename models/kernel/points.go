package kernel

import "unfold/internal/vec"

// Points are what points are compared with: the rows of a matrix, and its columns
// one by one, as vector instructions want them.
type Points struct {
	Rows    vec.Matrix[float64]
	Columns [][]float64
}

// NewPoints returns the rows of x, which it keeps; after they have moved, call
// Update.
func NewPoints(x vec.Matrix[float64]) *Points {
	z := &Points{Rows: x, Columns: make([][]float64, x.Cols)}
	for c := range z.Columns {
		z.Columns[c] = make([]float64, x.Rows)
	}
	z.Update()
	return z
}

// Update copies the rows, which have moved, to the columns.
func (z *Points) Update() {
	for i := range z.Rows.Rows {
		for c, v := range z.Rows.Row(i) {
			z.Columns[c][i] = v
		}
	}
}

// Len is the number of points.
func (z *Points) Len() int { return z.Rows.Rows }

// Room is scratch memory of one goroutine for comparisons with Points.
type Room struct {
	a, b []float64 // of each point
	sum  []float64 // of each column, and one more
}

// NewRoom returns room for z.
func NewRoom(z *Points) *Room {
	n := z.Len()
	return &Room{make([]float64, n), make([]float64, n), make([]float64, len(z.Columns)+1)}
}
