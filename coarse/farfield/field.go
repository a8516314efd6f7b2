package farfield

import "unfold/internal/vec"

// Field shows what every point is held against. All, Cells, Shared and Anchors
// implement it. It is made for n points whose Delta_i^2 never change, and is not
// safe for concurrent use.
type Field interface {
	// Move takes the present state, mu n x d and sigma2 n, which it copies.
	// Random fields draw again, by their seed and the number of moves so far.
	Move(threads int, mu vec.Matrix[float64], sigma2 []float64)
	// Sweep calls visit with batches that together hold every point as target
	// exactly once. Calls may be concurrent, each with a Batch of its own that is
	// valid during the call. Between two Moves every Sweep shows the same
	// batches, whatever the number of threads.
	Sweep(threads int, visit func(b *Batch))
	// Random reports whether Move draws again, so that sums are right in the mean
	// alone.
	Random() bool
	// Pairs is the number of pairs of a target and a source in one Sweep.
	Pairs() int64
	// Bytes is the memory it holds, workspace included.
	Bytes() int64
}

// Columns are points, or groups of points by their centroid, in slices of equal
// length.
type Columns struct {
	// Mu are the d coordinates.
	Mu [][]float64
	// Sigma2 and Delta2 are sigma_j^2 and Delta_j^2: of a group, the means.
	Sigma2, Delta2 []float64
}

// Batch is some points and all that they are held against.
type Batch struct {
	// Points are the targets' numbers, Targets their state.
	Points  []int32
	Targets Columns
	// Sources stand for Weight points each.
	Sources Columns
	Weight  []float64
	// Self reports that source Self+t is target t itself, a pair that does not
	// count; -1 if no target is among the sources.
	Self int
	// Work is the visitor's own memory: it stays with a goroutine from batch to
	// batch, as the visitor left it.
	Work   []float64
	Work32 []float32
}
