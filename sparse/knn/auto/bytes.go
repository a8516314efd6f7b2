package auto

import (
	"unfold/sparse/knn/hnsw"
	"unfold/sparse/knn/nndescent"
)

// GraphBytes returns the memory of Graph besides its input, its result included, if descent reaches
// its recall at the first attempt.
func (s Settings) GraphBytes(n, dim, k int) int64 {
	if s.Graph(n, dim, k) == Descent {
		return nndescent.Bytes(n, dim, k, candidates(k, s.recall(DefaultRecall)))
	}
	// The terms are packed rows with their starts and tails, their order, and thresholds; then the
	// lists.
	return int64(n) * (4*int64(dim) + 8 + 4 + 4 + 12*int64(k))
}

// IndexBytes returns the memory of an HNSW index, its copy of the rows included; 0 if Index would
// search exactly.
func (s Settings) IndexBytes(n, dim, k int) int64 {
	if s.Index(n, dim, k) == Exact {
		return 0
	}
	return hnsw.Bytes(n, dim, 0)
}

// BuildParts is the number of times during construction at which a caller that maps rows from a
// file can release them.
const BuildParts = hnsw.Parts

// BuildBytes returns the memory of building such an index, besides the index, from lists of the
// given length; 0 if no index is built from lists.
func (s Settings) BuildBytes(n, dim, k, lists int) int64 {
	if s.Index(n, dim, k) == Exact || !Listed(n, lists) {
		return 0
	}
	return hnsw.BytesFrom(n, lists)
}
