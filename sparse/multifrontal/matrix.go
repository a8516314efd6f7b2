package multifrontal

import (
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// Matrix is a symmetric matrix with d variables for each point of a tree. It first has the lower
// triangle of the matrix, then the factor, then the inverse.
type Matrix struct {
	Tree *Tree
	// Dims is the number d of variables for each point.
	Dims int
	// Fronts are the dense matrices of the fronts: first the variables of the own points, variable
	// by variable, then those of the border, see Index.
	Fronts []vec.Matrix[float64]
}

// NewMatrix returns the matrix 0.
func (t *Tree) NewMatrix(dims int) *Matrix {
	m := &Matrix{Tree: t, Dims: dims}
	for _, f := range t.Fronts {
		m.Fronts = append(m.Fronts, vec.New[float64](f.Len()*dims, f.Len()*dims))
	}
	return m
}

// Clone returns a copy with its own memory.
func (m *Matrix) Clone() *Matrix {
	c := &Matrix{Tree: m.Tree, Dims: m.Dims}
	for _, f := range m.Fronts {
		c.Fronts = append(c.Fronts, f.Clone())
	}
	return c
}

// Clear makes it 0.
func (m *Matrix) Clear() {
	for _, f := range m.Fronts {
		clear(f.Data)
	}
}

// Index returns the row (and column) of variable r of the i-th point of a front.
func (m *Matrix) Index(front, r, i int) int {
	own := len(m.Tree.Fronts[front].Own)
	if i < own {
		return r*own + i
	}
	return m.Dims*own + r*len(m.Tree.Fronts[front].Border) + i - own
}

// AddDiagonal adds v to the diagonal.
func (m *Matrix) AddDiagonal(v float64) {
	for f, front := range m.Tree.Fronts {
		for k := range len(front.Own) * m.Dims {
			m.Fronts[f].Row(k)[k] += v
		}
	}
}

// AddTo adds v to the diagonal at variable r of point i.
func (m *Matrix) AddTo(r, i int, v float64) {
	k := m.Diagonal(r, i)
	m.Fronts[m.Tree.Owner(i)].Row(k)[k] += v
}

// Diagonal returns the row of variable r of point i in the front that owns it.
func (m *Matrix) Diagonal(r, i int) int {
	return r*len(m.Tree.Fronts[m.Tree.Owner(i)].Own) + int(m.Tree.number[i])
}

// Block returns the element of variables r and s of point i.
func (m *Matrix) Block(r, s, i int) float64 {
	return m.Fronts[m.Tree.Owner(i)].Row(m.Diagonal(r, i))[m.Diagonal(s, i)]
}

// Trace returns the sum of the diagonal.
func (m *Matrix) Trace() (sum float64) {
	for f, front := range m.Tree.Fronts {
		for k := range len(front.Own) * m.Dims {
			sum += m.Fronts[f].Row(k)[k]
		}
	}
	return sum
}

// IndefiniteError reports that a matrix is not positive definite.
type IndefiniteError struct {
	// Point and Variable are the variable that could not be eliminated.
	Point, Variable int
	// Pivot is the remaining value of the diagonal.
	Pivot float64
}

func (e *IndefiniteError) Error() string {
	return fmt.Sprintf("the matrix is not positive definite: its pivot at coordinate %d of point %d is %g", e.Variable, e.Point, e.Pivot)
}

// Factor overwrites the matrix with its factor. After an error, an *IndefiniteError, the matrix is
// unusable.
func (m *Matrix) Factor(threads int) error {
	for f, front := range m.Tree.Fronts {
		own := len(front.Own)
		if err := spd.FactorLeading(m.Fronts[f], own*m.Dims, threads); err != nil {
			bad, ok := err.(*spd.IndefiniteError)
			if !ok {
				return err
			}
			return &IndefiniteError{int(front.Own[bad.Row%own]), bad.Row / own, bad.Pivot}
		}
		if front.Parent < 0 {
			continue
		}
		to, above, first := m.rowsAbove(f), m.Fronts[front.Parent], own*m.Dims
		par.Ranges(threads, len(to), taskRows, func(_, from, end int) {
			for a := from; a < end; a++ {
				row := m.Fronts[f].Row(first + a)[first:]
				for b, v := range row[:a+1] {
					above.Row(max(to[a], to[b]))[min(to[a], to[b])] += v
				}
			}
		})
	}
	return nil
}

// taskRows is the number of rows in one task.
const taskRows = 16

// rowsAbove returns the rows of a border's variables in the front above.
func (m *Matrix) rowsAbove(f int) []int {
	up, parent := m.Tree.up[f], m.Tree.Fronts[f].Parent
	to := make([]int, 0, len(up)*m.Dims)
	for r := range m.Dims {
		for _, i := range up {
			to = append(to, m.Index(parent, r, int(i)))
		}
	}
	return to
}

// LogDet returns log |A| after Factor.
func (m *Matrix) LogDet() (sum float64) {
	for f, front := range m.Tree.Fronts {
		for k := range len(front.Own) * m.Dims {
			sum += math.Log(m.Fronts[f].Row(k)[k])
		}
	}
	return 2 * sum
}

// Solve overwrites b with A^-1 b, after Factor. Row r n + i of b is variable r of point i of n.
func (m *Matrix) Solve(b vec.Matrix[float64], threads int) {
	g := gemm.Implementation{Threads: threads}
	for f, front := range m.Tree.Fronts {
		a := m.Fronts[f]
		x, own := m.gather(f, b), len(front.Own)*m.Dims
		rest := a.Rows - own
		g.Dtrsm(gonum.Left, gonum.Lower, gonum.NoTrans, gonum.NonUnit, own, b.Cols, 1, a.Data, max(a.Cols, 1), x.Data, b.Cols)
		if rest > 0 && own > 0 {
			g.Dgemm(gonum.NoTrans, gonum.NoTrans, rest, b.Cols, own, -1, a.Data[own*a.Cols:], a.Cols, x.Data, b.Cols, 1, x.Data[own*b.Cols:], b.Cols)
		}
		m.put(f, b, x)
	}
	for f, front := range slices.Backward(m.Tree.Fronts) {
		a := m.Fronts[f]
		x, own := m.gather(f, b), len(front.Own)*m.Dims
		rest := a.Rows - own
		if rest > 0 && own > 0 {
			g.Dgemm(gonum.Trans, gonum.NoTrans, own, b.Cols, rest, -1, a.Data[own*a.Cols:], a.Cols, x.Data[own*b.Cols:], b.Cols, 1, x.Data, b.Cols)
		}
		g.Dtrsm(gonum.Left, gonum.Lower, gonum.Trans, gonum.NonUnit, own, b.Cols, 1, a.Data, max(a.Cols, 1), x.Data, b.Cols)
		m.put(f, b, x)
	}
}

// gather returns the rows of b for the variables of a front, in their order.
func (m *Matrix) gather(f int, b vec.Matrix[float64]) vec.Matrix[float64] {
	front, n := m.Tree.Fronts[f], m.Tree.Len()
	x := vec.New[float64](front.Len()*m.Dims, b.Cols)
	for r := range m.Dims {
		for i := range front.Len() {
			copy(x.Row(m.Index(f, r, i)), b.Row(r*n+int(front.At(i))))
		}
	}
	return x
}

func (m *Matrix) put(f int, b, x vec.Matrix[float64]) {
	front, n := m.Tree.Fronts[f], m.Tree.Len()
	for r := range m.Dims {
		for i := range front.Len() {
			copy(b.Row(r*n+int(front.At(i))), x.Row(m.Index(f, r, i)))
		}
	}
}

// Invert overwrites the factor with the inverse, both triangles.
func (m *Matrix) Invert(threads int) {
	for f, front := range slices.Backward(m.Tree.Fronts) {
		own := len(front.Own) * m.Dims
		if front.Parent >= 0 {
			to, above := m.rowsAbove(f), m.Fronts[front.Parent]
			par.Ranges(threads, len(to), taskRows, func(_, from, end int) {
				for a := from; a < end; a++ {
					row, source := m.Fronts[f].Row(own + a)[own:], above.Row(to[a])
					for b := range row {
						row[b] = source[to[b]]
					}
				}
			})
		}
		spd.InvertLeading(m.Fronts[f], own, threads)
	}
}

// AddProduct adds alpha X Y' to all pairs of points that share a front; the rows of X and Y are
// ordered as in Solve.
func (m *Matrix) AddProduct(alpha float64, x, y vec.Matrix[float64], threads int) {
	g := gemm.Implementation{Threads: threads}
	for f, a := range m.Fronts {
		if a.Rows > 0 {
			g.Dgemm(gonum.NoTrans, gonum.Trans, a.Rows, a.Rows, x.Cols, alpha, m.gather(f, x).Data, x.Cols, m.gather(f, y).Data, y.Cols, 1, a.Data, a.Cols)
		}
	}
}
