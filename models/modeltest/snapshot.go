package modeltest

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/novelty"
	"unfold/models/pca"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// Snapshot returns a small valid snapshot without learning. It has n reference points in clusters,
// dims-dimensional means that follow a linear projection of them, and true novelty tables. With q =
// 0 there is no projection, otherwise q principal components. It also returns the vectors of the
// reference points before the projection, n x dim.
func Snapshot(t testing.TB, seed uint64, n, dim, q, dims int) (*snapshot.Snapshot, vec.Matrix[float32]) {
	t.Helper()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 0x51a9))
	x := Events(seed, n, dim)
	s := &snapshot.Snapshot{
		Kind: "lvm", MapID: "0123456789abcdef0123456789abcdef", Version: 3, Epoch: 2, Dim: dim, Reference: x, Neighbors: 6, Steps: 60,
		Mu: vec.New[float64](n, dims), Count: slices.Repeat([]uint32{1}, n),
		Settings: []byte("{}"),
	}
	if q > 0 {
		p, _, err := projection.Fit(ctx, x, q, 0, pca.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		p.Store(s)
		s.Reference = p.Apply(x, 0)
	}
	for i := range n {
		for c := range dims {
			s.Mu.Row(i)[c] = float64(x.Row(i)[c%dim]) + 0.1*r.NormFloat64()
		}
		s.Sigma2 = append(s.Sigma2, 0.01+0.1*r.Float64())
		s.Bandwidth2 = append(s.Bandwidth2, 0.1+r.Float64())
	}
	nb, err := knn.Graph(ctx, s.Reference, novelty.DefaultK, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	tables, _, err := novelty.New(nb, novelty.DefaultK, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.NoveltyK, s.KDist2, s.Density = tables.K, tables.KDist2, tables.Density
	s.LocalScores, s.GlobalScores = tables.Local, tables.Global
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s, x
}

// Events returns n vectors of dim elements in five clusters. The seed changes the vectors but not
// the clusters.
func Events(seed uint64, n, dim int) vec.Matrix[float32] {
	centers := rand.New(rand.NewPCG(1, 0xce))
	c := vec.New[float32](5, dim)
	for i := range c.Data {
		c.Data[i] = float32(3 * centers.NormFloat64())
	}
	r := rand.New(rand.NewPCG(seed, 0xe7))
	x := vec.New[float32](n, dim)
	for i := range n {
		for j, v := range c.Row(r.IntN(5)) {
			x.Row(i)[j] = v + float32(r.NormFloat64())
		}
	}
	return x
}
