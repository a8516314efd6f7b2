package lvm

import (
	"unfold/sparse/knn"
	"unfold/sparse/vec"
)

// Progress is told how far a long step has come: done of total units of stage
// ("knn", "graph", "coarse", "spectral", "em"). Its calls do not overlap; it should
// return soon and cannot change the result.
type Progress func(stage string, done, total int)

// Result is a learnt map of n distinct points.
type Result struct {
	// Unique lists, ascending, the rows of the input that are points (the
	// first of each class of equal rows). Of gives the point of every input
	// row, Count how many rows each point stands for.
	Unique, Of []int32
	Count      []uint32
	// Mu (n x d) are the places, Sigma2 (n) the latent variances, Bandwidth2
	// (n) the dissimilarity scales Delta_i^2, all in point numbering.
	Mu                 vec.Matrix[float64]
	Sigma2, Bandwidth2 []float64
	// Unlearnt marks points outside the largest component, which were placed
	// by their learnt neighbours and not learnt. Nil if there are none.
	Unlearnt []bool
	// Neighbors are the exact nearest neighbours among the points, at least
	// Settings.Lists of them (fewer only if there are fewer points).
	Neighbors *knn.Neighbors
	// Settings are those of the fit with all defaults filled in.
	Settings Settings
	Report   Report
}

// Report is what a fit has to say about itself.
type Report struct {
	// N rows were given, Unique of them distinct, with Dim columns.
	N, Unique, Dim int
	// Dims, Level (the paper's l, resolved), Neighbors as used.
	Dims, Level, Neighbors int
	// Edges is sum_ij E_ij; Components counts those of the neighbour graph
	// before bridging; Landmarks those of the first coarse-graining.
	Edges, Components, Landmarks int
	// Pairs counts the unordered pairs that carry a dissimilarity weight.
	Pairs int64
	// LoglikInitial and Loglik are eq 6 before and after learning.
	LoglikInitial, Loglik float64
	// Iterations of EM, and of conjugate gradients in all of them together.
	Iterations, CGIterations int
	Seconds                  Seconds
}

// Seconds are wall-clock times of the stages.
type Seconds struct {
	KNN, Graph, Coarse, Spectral, EM float64
}
