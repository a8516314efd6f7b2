package solve

import (
	"errors"
	"time"
)

// Loose is the tolerance from which on a solve has one precision throughout, that of its matrix:
// see Settings.Single.
const Loose = 1e-3

// Exact is the tolerance of a solve that is limited by rounding only.
const Exact = 1e-14

// Preconditioner names what conjugate gradients are preconditioned with.
type Preconditioner int

const (
	// Auto is Jacobi until a solve takes many iterations, then Cholesky. The
	// choice follows from counts of iterations, never from the clock.
	Auto Preconditioner = iota
	// Jacobi is the diagonal.
	Jacobi
	// Cholesky is a Factor.
	Cholesky
)

// Settings of a solve. The zero value is usable.
type Settings struct {
	// Tolerance is the residual, relative to that of the start, at which a
	// column stops. Default 1e-8.
	Tolerance float64
	// MaxIterations bounds the iterations. Default 10 n + 100, which only a
	// hopelessly ill-conditioned system reaches.
	MaxIterations int
	// Preconditioner is Auto by default.
	Preconditioner Preconditioner
	// Seed is that of the random choices of a Factor.
	Seed uint64
	// Single says that systems have their weights in Laplacian.Single. Of a solver for two or three
	// columns to Loose or more, vectors are in single precision then, too.
	Single bool
	// Threads bounds the goroutines; 0 means GOMAXPROCS. The result does not
	// depend on it.
	Threads int
}

// Result says how a solve went.
type Result struct {
	// Iterations is the number of products with the matrix, and Jacobi how many
	// of them had the diagonal as preconditioner.
	Iterations, Jacobi int
	// Single is how many of them worked on vectors in single precision.
	Single int
	// Residual is the largest, over the columns, of |B - A X| divided by its
	// value at the start (0 if that was 0).
	Residual float64
	// Unreachable is the largest, over the columns, norm of the part of the
	// residual at the start that no X can remove, relative to the whole: rounding
	// if B sums to zero on every component without Gamma. It is left aside; X
	// solves the rest.
	Unreachable float64
	// Converged says that every column reached the tolerance.
	Converged bool
	// Setup is the time spent on making a preconditioner, zero if none was made
	// in this solve, and Solve the rest.
	Setup, Solve time.Duration
	// Bytes is the memory of the workspace and the preconditioner.
	Bytes int64
}

// ErrIndefinite is returned if a direction of non-positive curvature turns up:
// the matrix is not positive definite on the space that the right-hand side
// spans, or holds NaN.
var ErrIndefinite = errors.New("solve: the matrix is not positive definite, or an entry is not a number")
