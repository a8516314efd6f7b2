package models

import (
	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Progress is called during a long step: done of total units of stage
// ("knn", "graph", "coarse", "spectral", with "sample" in it, "em"). Its calls do not overlap; it should
// return soon and cannot change the result.
type Progress func(stage string, done, total int)

// Result is a learnt map of n distinct points.
type Result struct {
	// Unique lists, ascending, the rows of the input that are points (the
	// first of each class of equal rows). Of gives the point of every input
	// row, Count how many rows each point stands for.
	Unique, Of []int32
	Count      []uint32
	// Mu (n x d) are the places, Sigma2 (n) the latent variances, and Bandwidth2 (n)
	// the squared length scales of the points in the input, as the model has them.
	Mu                 vec.Matrix[float64]
	Sigma2, Bandwidth2 []float64
	// Unlearnt marks points that were placed by learnt ones and not learnt. Nil if
	// there are none.
	Unlearnt []bool
	// Labels are the labels of the points, "" for a point without one. They are nil if labels took
	// no part in learning.
	Labels []string
	// Neighbors are the nearest neighbours among the points, as Common.Search has
	// them found, at least Common.Lists of them (fewer only if there are fewer
	// points).
	Neighbors *knn.Neighbors
	Report    Report
}

// Report has the figures of a fit.
type Report struct {
	// N rows were given, Unique of them distinct, with Dim columns.
	N, Unique, Dim int
	// Dims, Level (the paper's l, resolved; 0 for other models), Neighbors as used.
	Dims, Level, Neighbors int
	// Edges is the number of similar ordered pairs: sum_ij E_ij, with heavy tails n k. Components
	// is the number of components of the neighbour graph before bridging, Landmarks the number of
	// landmarks of the first coarse-graining (0 with heavy tails).
	Edges, Components, Landmarks int
	// Bridges are the edges that were added to join the components, fewer by one than these, by
	// rows; nil if there are none, as always with heavy tails.
	Bridges []Bridge
	// Pairs is the number of unordered pairs with a dissimilarity weight; with heavy tails, the
	// number of pairs of a point and a point or group in one pass.
	Pairs int64
	// LoglikInitial and Loglik are the log-likelihoods before and after learning
	// (with heavy tails over all pairs as the pass sums them).
	LoglikInitial, Loglik float64
	// LogPrior is log p(mu) of the prior over places after learning (package prior); 0
	// without one.
	LogPrior float64
	// Falls counts how often learning with heavy tails saw the likelihood fall and
	// became more careful.
	Falls int
	// Converged is true if learning ended before its last step; Iterations after
	// which.
	Converged bool
	// Iterations of learning, and of conjugate gradients in all of them together.
	Iterations, CGIterations int
	// Search says how neighbours were found, and with which recall.
	Search  auto.Report
	Seconds Seconds
}

// Bridge is an edge without which a neighbour graph falls apart.
type Bridge struct {
	// Row and Other are the rows of the input at its ends, from 0, Row the lower one; of equal rows the first.
	Row   int `json:"row"`
	Other int `json:"other"`
	// Distance is the root of what neighbour lists hold of the pair, so the Euclidean distance unless
	// another one was chosen.
	Distance float64 `json:"distance"`
}

// Seconds are wall-clock times of the stages.
type Seconds struct {
	KNN, Graph, Coarse, Spectral, EM float64
}
