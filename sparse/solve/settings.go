package solve

import (
	"errors"
	"time"
)

// Loose is the smallest tolerance for which a solve uses the precision of its matrix throughout:
// see Settings.Single.
const Loose = 1e-3

// Exact is the tolerance of a solve that is only limited by rounding.
const Exact = 1e-14

// Settings are the settings of a solve. The zero value is usable.
type Settings struct {
	// Tolerance is the residual at which a column stops, relative to the residual at the start.
	// Default 1e-8.
	Tolerance float64
	// MaxIterations bounds the iterations. Default 10 n + 100, which only an extremely
	// ill-conditioned system reaches.
	MaxIterations int
	// Single means that systems have their weights in Laplacian.Single. A solver for two or three
	// columns to Loose or more then uses vectors in single precision too.
	Single bool
	// Threads bounds the goroutines; 0 means GOMAXPROCS. It does not change the result.
	Threads int
}

// Result describes a solve.
type Result struct {
	// Iterations is the number of products with the matrix.
	Iterations int
	// Single is the number of iterations with vectors in single precision.
	Single int
	// Residual is the largest |B - A X| of a column, divided by its value at the start (0 if that
	// was 0).
	Residual float64
	// Unreachable is the relative size of the part of the start's residual that no X can remove,
	// for the column where it is largest. It is only rounding error if B sums to zero on every
	// component without Gamma. X solves the rest.
	Unreachable float64
	// Converged reports that every column reached the tolerance.
	Converged bool
	// Solve is the duration of the solve.
	Solve time.Duration
	// Bytes is the memory of the workspace, in bytes.
	Bytes int64
}

// ErrIndefinite is returned for a direction of non-positive curvature: the matrix is not positive
// definite on the space of the right-hand side, or has a NaN.
var ErrIndefinite = errors.New("solve: the matrix is not positive definite, or an entry is not a number")
