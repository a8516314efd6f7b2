package pca

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
)

// PCA is a projection onto principal components.
type PCA struct {
	// Mean (dim) is subtracted from a vector before projection; Centre is the same in double
	// precision.
	Mean   []float32
	Centre []float64
	// Components (q x dim) are orthonormal rows.
	Components vec.Matrix[float32]
	// Variance (q) has the variances along the components, descending. Total is the variance of the
	// data, the trace of C.
	Variance []float64
	Total    float64
	// Iterations is the number of rounds of the iterative solver, 0 if the eigenvectors were
	// computed directly. Residual is the largest |C v - lambda v| over the components v, relative
	// to the largest lambda.
	Iterations int
	Residual   float64
}

// Settings are the settings of a fit. The zero value works.
type Settings struct {
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
	// Seed determines the start of the iterative solver. It only matters above 256 columns (and
	// rows, if they are fewer), and changes the result within Tolerance.
	Seed uint64
	// Tolerance is the residual at which the iterative solver stops, relative to the largest
	// eigenvalue. Default 1e-5, or 1e-3 for more than 64 components of more than 512 columns: the
	// last of these have nearly equal variances, so that a larger error does no harm.
	Tolerance float64
	// rounds bounds the rounds of the iterative solver; 0 means maxRounds.
	rounds int
	// wide keeps only the last power of the iteration (extend).
	wide bool
}

// These are the largest sizes of the direct methods: of eigenvectors by a dense solver, of the products
// of rows as a matrix, and of the covariance as a matrix.
const (
	maxDense   = 256
	maxWhole   = 512
	maxGram    = 2048
	maxColumns = 4096
)

// direct reports whether all eigenvectors of a matrix of that order are computed at once. They are
// if the matrix is small, or if q is such a large part of the order that the iteration's depth+1
// blocks would not fit or save nothing.
func direct(order, q int) bool {
	space := (depth + 1) * carried(q)
	return order <= maxDense || order <= maxGram && 2*space > order || space > order
}

// wide reports whether Fit searches for q eigenvectors in the space of one power. It does where
// computing all eigenvectors would take seconds, and the space of all powers nearly as long.
func wide(order, q int) bool {
	return q > narrow && order > maxWhole && 2*carried(q) <= order
}

// whole reports whether Fit computes all eigenvectors of a matrix of that order at once.
func whole(order, q int) bool { return !wide(order, q) && direct(order, q) }

// Form is the kind of matrix that the eigenvectors are computed from.
type Form int

const (
	// Primal is the covariance of the columns, formed.
	Primal Form = iota
	// Dual is the matrix of products of centred rows, for few rows with many columns.
	Dual
	// Applied is the covariance by its products, without forming it.
	Applied
)

// FormOf returns the form that Fit uses for q components of n rows of dim columns. It prefers the
// clearly smaller of the two matrices that can be formed, n x n and dim x dim.
func FormOf(n, dim, q int) Form {
	switch {
	case dim > maxDense && n <= maxGram && (dim > maxGram || 2*n <= dim):
		return Dual
	case dim <= maxColumns || direct(dim, q):
		return Primal
	}
	return Applied
}

// Bytes returns the approximate maximum memory of Fit, besides x, for q components of n rows of dim
// columns.
func Bytes(n, dim, q int) int64 {
	rows, columns, kept := int64(n), int64(dim), int64(q)
	spaces := int64(depth+1) * int64(carried(q))
	switch FormOf(n, dim, q) {
	case Dual:
		// The terms are two copies of the products, a panel, and their eigenvectors or the spaces
		// of the iteration; then the basis in all columns, its image, and both rotated.
		eigen := 3 * spaces
		if whole(n, min(n, q)) {
			eigen = 2 * rows
		}
		return 8 * (2*rows*rows + max(rows*max(panelColumns, eigen), 4*columns*kept+rows*kept))
	case Primal:
		if dim <= tileCols { // one of every range of rows
			return 8 * (3 + pieces) * columns * columns
		}
		if whole(dim, q) {
			return 8 * 3 * columns * columns
		}
		// The terms are C, twice in double precision, and the growing spaces or what is kept of them.
		formed, iterated := 2*columns*columns, 3*spaces
		if float64(n)*float64(dim)*float64(dim) >= manyProducts {
			formed = columns * columns
		}
		if wide(dim, q) {
			iterated = 4 * int64(carried(q))
		}
		return 8 * (formed + columns*iterated)
	}
	// The terms are the growing spaces and their image.
	return 8 * (3*columns*spaces + min(rows, stretchRows)*spaces)
}

// Fit returns the q leading principal components of the rows of x. It returns a bad-input error if
// q is not within 1..x.Cols, x has no rows or a value is not finite. Components beyond the rank of
// the data are orthonormal and have variance 0.
func Fit(ctx context.Context, x vec.Matrix[float32], q int, s Settings) (*PCA, error) {
	order := x.Cols
	if FormOf(x.Rows, x.Cols, q) == Dual {
		order = x.Rows
	}
	s.wide = wide(order, min(q, order))
	if s.Tolerance == 0 {
		s.Tolerance = 1e-5
		if s.wide {
			s.Tolerance = 1e-3
		}
	}
	switch {
	case q < 1 || q > x.Cols:
		return nil, models.BadInputf("pca: %d components of vectors of %d elements: want 1 to %d", q, x.Cols, x.Cols)
	case x.Rows < 1:
		return nil, models.BadInputf("pca: there are no rows")
	case !(s.Tolerance > 0 && s.Tolerance < 1):
		return nil, fmt.Errorf("pca: tolerance is %g, want 0 < tolerance < 1", s.Tolerance)
	}
	c := &covariance{x: x, mean: mean(x, s.Threads), threads: s.Threads}
	// Sums of float32 in float64 are finite if all values are.
	if slices.ContainsFunc(c.mean, func(m float64) bool { return m-m != 0 }) {
		return nil, fmt.Errorf("pca: %w", models.CheckRows(x, nil))
	}
	p, err := solve(ctx, c, q, s)
	if err != nil {
		return nil, fmt.Errorf("pca: %w", err)
	}
	p.Centre, p.Mean = c.mean, make([]float32, x.Cols)
	for j, m := range c.mean {
		p.Mean[j] = float32(m)
	}
	p.Total = c.total
	for i := range p.Components.Rows {
		orient(p.Components.Row(i))
	}
	return p, nil
}

// solve forms C if it is small enough and computes q eigenvectors. If C is in single precision and
// the smallest eigenvalue is near its errors, it starts again in double precision.
func solve(ctx context.Context, c *covariance, q int, s Settings) (*PCA, error) {
	find := func() (*PCA, error) {
		if whole(c.x.Cols, q) {
			return dense(c, q)
		}
		return krylov(ctx, c, q, c.threads, s)
	}
	switch FormOf(c.x.Rows, c.x.Cols, q) {
	case Dual:
		c.total = c.trace()
		return dual(ctx, c, q, s)
	case Primal:
		if err := c.form(ctx); err != nil {
			return nil, err
		}
	case Applied:
		c.total = c.trace()
	}
	p, err := find()
	if err != nil || !c.single || p.Variance[q-1] >= leastShare*c.total {
		return p, err
	}
	if err := c.formDouble(ctx); err != nil {
		return nil, err
	}
	return find()
}

// Trim removes trailing components whose variance is below a share of the first one's. It always
// keeps the first.
func (p *PCA) Trim(least float64) {
	q := len(p.Variance)
	for q > 1 && !(p.Variance[q-1] >= least*p.Variance[0] && p.Variance[q-1] > 0) {
		q--
	}
	p.Variance, p.Components = p.Variance[:q], p.Components.Slice(0, q)
}

// orient changes the sign of a component so that its entry of largest magnitude (the first of
// equals) is positive.
func orient(v []float32) {
	at := 0
	for j, e := range v {
		if math.Abs(float64(e)) > math.Abs(float64(v[at])) {
			at = j
		}
	}
	if v[at] < 0 {
		for j := range v {
			v[j] = -v[j]
		}
	}
}
