package auto

import (
	"unfold/sparse/knn/hnsw"
	"unfold/sparse/knn/nndescent"
)

// GraphBytes is the memory that Graph takes beside its input, its result included, if
// descent keeps to its recall at once.
func (s Settings) GraphBytes(n, dim, k int) int64 {
	if s.Graph(n, dim, k) == Descent {
		return nndescent.Bytes(n, dim, k, candidates(k, s.recall(DefaultRecall)))
	}
	// Packed rows with their starts and tails, their order, thresholds; the lists.
	return int64(n) * (4*int64(dim) + 8 + 4 + 4 + 12*int64(k))
}

// IndexBytes is the memory that an HNSW index holds, its copy of the rows included; 0
// if Index would search exactly.
func (s Settings) IndexBytes(n, dim, k int) int64 {
	if s.Index(n, dim, k) == Exact {
		return 0
	}
	return hnsw.Bytes(n, dim, 0)
}

// BuildParts is how many times such a making lets who maps rows from a file let go of them, while
// they are copied.
const BuildParts = hnsw.Parts

// BuildBytes is the memory that the making of such an index takes beside it, where there are
// lists of so many neighbours; 0 if there is none.
func (s Settings) BuildBytes(n, dim, k, lists int) int64 {
	if s.Index(n, dim, k) == Exact || !Listed(n, lists) {
		return 0
	}
	return hnsw.BytesFrom(n, lists)
}
