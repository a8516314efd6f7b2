package knn

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Index finds nearest neighbours in a fixed set of rows. It is safe for concurrent use.
type Index interface {
	// Len returns the number of rows, Dim their dimension.
	Len() int
	Dim() int
	// Search returns the k nearest rows of every row of q, nearest first. It returns an error if k
	// is not in 1..Len or q has another dimension, and a *ValueError if a value is not finite.
	Search(ctx context.Context, q vec.Matrix[float32], k int, s Settings) (*Neighbors, error)
}

// Settings are the settings of a search; the zero value works.
type Settings struct {
	// Threads is the number of goroutines, GOMAXPROCS if it is not positive.
	// It does not change the result.
	Threads int
	// Distance is the distance of a search that gets rows instead of an index; the zero value is
	// Euclidean. An index has its own.
	Distance distance.Distance
	// Progress, if not nil, is called occasionally with the completed and total work. Calls do not
	// overlap.
	Progress func(done, total int)
}

// limit is the largest allowed magnitude of a value, so that squares of differences and their sums
// stay finite.
const limit = 1e150

// ValueError reports a value that cannot be used in distances: NaN, an infinity or a magnitude
// above 1e150.
type ValueError struct {
	Row, Col int
	Value    float64
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("knn: row %d, column %d is %v: values must be finite and below 1e150 in magnitude; remove or repair the row", e.Row, e.Col, e.Value)
}

// checkValues returns a *ValueError for the first invalid value of x.
func checkValues[T vec.Float](x vec.Matrix[T], threads int) error {
	const size = 4096
	if x.Rows <= size {
		return asError(checkRows(x, 0, x.Rows))
	}
	bad := make([]*ValueError, par.Pieces(x.Rows, size))
	par.Ranges(threads, x.Rows, size, func(piece, from, to int) {
		bad[piece] = checkRows(x, from, to)
	})
	for _, err := range bad {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkFor returns the error of a search under a distance for the values of x.
func checkFor[T vec.Float](d distance.Distance, x vec.Matrix[T], threads int) error {
	if err := checkValues(x, threads); err != nil {
		return err
	}
	if err := distance.Check(d, x); err != nil {
		return fmt.Errorf("knn: %w", err)
	}
	return nil
}

// CheckQueries returns the error of an index of n rows of dim values for k neighbours of the rows
// of q under the Euclidean distance.
func CheckQueries(n, dim int, q vec.Matrix[float32], k, threads int) error {
	return checkQueries(distance.Euclidean, n, dim, q, k, threads)
}

// checkQueries is CheckQueries under a distance.
func checkQueries(d distance.Distance, n, dim int, q vec.Matrix[float32], k, threads int) error {
	if q.Cols != dim {
		return fmt.Errorf("knn: queries of dimension %d for an index of dimension %d", q.Cols, dim)
	}
	if err := checkShape(n, dim, k, n); err != nil {
		return err
	}
	return checkFor(d, q, threads)
}

// checkRows returns the first value of rows from..to that is not finite, or beyond the limit.
func checkRows[T vec.Float](x vec.Matrix[T], from, to int) *ValueError {
	for p, v := range x.Data[from*x.Cols : to*x.Cols] {
		// A NaN fails the comparison too.
		if !(math.Abs(float64(v)) < limit) {
			return &ValueError{Row: from + p/x.Cols, Col: p % x.Cols, Value: float64(v)}
		}
	}
	return nil
}

// asError converts a nil pointer to a nil error.
func asError(err *ValueError) error {
	if err == nil {
		return nil
	}
	return err
}

// checkShape returns an error unless k is in 1..most.
func checkShape(rows, cols, k, most int) error {
	switch {
	case cols == 0 && rows > 0:
		return fmt.Errorf("knn: the rows have no columns")
	case rows > math.MaxInt32-1:
		return fmt.Errorf("knn: %d rows, at most %d can be numbered", rows, math.MaxInt32-1)
	case k < 1:
		return fmt.Errorf("knn: %d neighbours asked for, want at least 1", k)
	case k > most:
		return fmt.Errorf("knn: %d neighbours asked for, but there are only %d rows to choose from: give more rows or ask for fewer neighbours", k, most)
	}
	return nil
}

// cancelled wraps the context's error.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("knn: search stopped: %w", err)
	}
	return nil
}
