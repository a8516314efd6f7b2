package hnsw

import (
	"context"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// failing is an index that could not be built.
type failing struct {
	knn.Index
	err error
}

func (f failing) Search(context.Context, vec.Matrix[float32], int, knn.Settings) (*knn.Neighbors, error) {
	return nil, f.err
}

func builder(set Settings) func(x vec.Matrix[float32]) knn.Index {
	return func(x vec.Matrix[float32]) knn.Index {
		ix, err := Build(context.Background(), x, set, knn.Settings{})
		if err != nil {
			return failing{err: err}
		}
		return ix
	}
}

// The default settings find nearly all neighbours.
func TestConformance(t *testing.T) {
	knntest.Conformance(t, knntest.Options{Recall: 0.97}, builder(Settings{Seed: 1}))
}

// With as many candidates as rows the search is exact for every kind of point set: each layer's
// tree reaches all rows, and ties are broken by exact distances.
func TestConformanceWithAllCandidates(t *testing.T) {
	knntest.Conformance(t, knntest.Options{Exact: true}, builder(Settings{Seed: 2, Ef: 1000, M: 5, EfConstruction: 20}))
}

// The index passes the conformance suite for insertion and deletion.
func TestDynamic(t *testing.T) {
	knntest.Dynamic(t, knntest.Options{Exact: true}, func(dim int) knn.Dynamic {
		ix, err := New(dim, Settings{M: 5, EfConstruction: 20, Ef: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return ix
	})
}
