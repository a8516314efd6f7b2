package farfield

import "unfold/internal/vec"

// Field provides the sources of every point. All, Cells and Shared implement it. A Field
// is made for n points with constant Delta_i^2, and is not safe for concurrent use.
type Field interface {
	// Move copies the current state, mu (n x d) and sigma2 (n). Random fields draw again, from
	// their seed and the number of moves so far.
	Move(threads int, mu vec.Matrix[float64], sigma2 []float64)
	// Sweep calls visit with batches in which every point is a target exactly once. Calls may be
	// concurrent, each with its own Batch, which is valid during the call. Every Sweep between two
	// Moves has the same batches, for any number of threads.
	Sweep(threads int, visit func(b *Batch))
	// Random reports whether Move draws at random, so that sums are only correct in expectation.
	Random() bool
	// Pairs returns the number of pairs of a target and a source in one Sweep.
	Pairs() int64
	// Bytes returns the memory of the field in bytes, workspace included.
	Bytes() int64
}

// Columns are points, or groups of points given by their centroids, as slices of equal length.
type Columns struct {
	// Mu are the d coordinates.
	Mu [][]float64
	// Sigma2 and Delta2 are sigma_j^2 and Delta_j^2; for a group, their means.
	Sigma2, Delta2 []float64
}

// Batch is a set of targets with all their sources.
type Batch struct {
	// Points are the indices of the targets, Targets their state.
	Points  []int32
	Targets Columns
	// Sources stand for Weight points each.
	Sources Columns
	Weight  []float64
	// Self: source Self+t is target t itself, a pair to skip. It is -1 if no target is
	// among the sources.
	Self int
	// Work is memory of the visitor. It stays with a goroutine from batch to batch, with its
	// contents.
	Work   []float64
	Work32 []float32
}
