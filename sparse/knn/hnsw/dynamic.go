package hnsw

import "unfold/sparse/knn"

// Dynamic is knn.Dynamic.
type Dynamic = knn.Dynamic
