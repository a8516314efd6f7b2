package gallery

import (
	"math"
	"slices"

	"unfold/sparse"
)

// Poisson1D returns the n x n second difference matrix with 2 on the diagonal
// and -1 beside it (Dirichlet boundaries): positive definite, eigenvalues
// 2 - 2 cos(pi j / (n+1)), j = 1..n.
func Poisson1D(n int) *sparse.CSR { return poisson(n, 1, 2) }

// Poisson2D returns the five-point matrix of a rows x cols grid, point (r,c)
// numbered r*cols+c, with Dirichlet boundaries: 4 on the diagonal, -1 for
// every neighbour. Its eigenvalues are the sums of one of Poisson1D(rows) and
// one of Poisson1D(cols).
func Poisson2D(rows, cols int) *sparse.CSR { return poisson(rows, cols, 4) }

func poisson(rows, cols int, diagonal float64) *sparse.CSR {
	i, j := gridPairs(rows, cols)
	n := rows * cols
	size := n + 2*len(i)
	ti, tj, tw := make([]int32, 0, size), make([]int32, 0, size), make([]float64, 0, size)
	for p := range n {
		ti, tj, tw = append(ti, int32(p)), append(tj, int32(p)), append(tw, diagonal)
	}
	for p := range i {
		ti, tj, tw = append(ti, i[p], j[p]), append(tj, j[p], i[p]), append(tw, -1, -1)
	}
	return sparse.FromTriplets(n, n, ti, tj, tw)
}

// PathLaplacian returns the graph Laplacian of a path of n points:
// semidefinite, eigenvalues 2 - 2 cos(pi j / n), j = 0..n-1.
func PathLaplacian(n int) *sparse.CSR { return GridLaplacian(n, 1) }

// GridLaplacian returns the graph Laplacian of a rows x cols grid (Neumann boundaries), point (r,c)
// numbered r*cols+c. GridEigenvalues returns its eigenvalues.
func GridLaplacian(rows, cols int) *sparse.CSR {
	i, j := gridPairs(rows, cols)
	w := make([]float64, len(i))
	for p := range w {
		w[p] = 1
	}
	return sparse.Laplacian(rows*cols, i, j, w)
}

// GridEigenvalues returns the eigenvalues of GridLaplacian, ascending:
// (2 - 2 cos(pi a / rows)) + (2 - 2 cos(pi b / cols)), a < rows, b < cols.
func GridEigenvalues(rows, cols int) []float64 {
	values := make([]float64, 0, rows*cols)
	for a := range rows {
		for b := range cols {
			values = append(values, pathEigenvalue(a, rows)+pathEigenvalue(b, cols))
		}
	}
	slices.Sort(values)
	return values
}

// pathEigenvalue is 2 - 2 cos(pi a / n), without cancellation for small a.
func pathEigenvalue(a, n int) float64 {
	s := math.Sin(math.Pi * float64(a) / float64(2*n))
	return 4 * s * s
}

// gridPairs lists the pairs of neighbouring points of a grid.
func gridPairs(rows, cols int) (i, j []int32) {
	for r := range rows {
		for c := range cols {
			p := int32(r*cols + c)
			if c+1 < cols {
				i, j = append(i, p), append(j, p+1)
			}
			if r+1 < rows {
				i, j = append(i, p), append(j, p+int32(cols))
			}
		}
	}
	return i, j
}
