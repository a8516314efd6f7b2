package unfold

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models/clusters"
)

// ClusterOptions define a cluster, like the flags of `unfold clusters`. The zero value works.
type ClusterOptions struct {
	// MinSize is the least number of points of a cluster, at least 2. Default 50, or a twentieth of
	// the points if that is less, but at least 5.
	MinSize int
	// MinSamples is the rank of the neighbour whose distance measures the density at a point. A
	// larger one leaves more noise. Default MinSize.
	MinSamples int
	// Selection is "eom" (excess of mass), the clusters that last longest, or "leaf", the smallest
	// ones. Default "eom".
	Selection string
	// Epsilon joins clusters that split at a distance below it, in units of the rows. Default 0.
	Epsilon float64
}

// Clusters are the clusters (HDBSCAN*) of n rows, in their order. It is safe for concurrent use.
type Clusters struct {
	// Label is the cluster of each row, or -1 for noise. Clusters are numbered in the order of
	// their first rows.
	Label []int
	// Probability, from 0 to 1, is the strength of each row's membership in its cluster. It is 0
	// for noise.
	Probability []float64
	// Outlier, from 0 to 1, is the GLOSH score. It grows as the density at the row falls below that
	// of the cluster around it.
	Outlier []float64
	// Size is the number of rows of each cluster. Persistence, from 0 to 1, is its stability.
	Size        []int
	Persistence []float64

	predictor *clusters.Predictor[float64]
}

// Clusters returns the clusters of the points on the map, in the order of Points. Equal vectors are
// one point. Their distances are Euclidean, in units of the map.
func (m *Map) Clusters(ctx context.Context, o ClusterOptions) (*Clusters, error) {
	return clustersOf(ctx, m.now.Load().snap.Mu, o, m.threads)
}

// FindClusters returns the clusters of the rows of x (n x dim) under the Euclidean distance.
func FindClusters(ctx context.Context, x mat.Matrix, o ClusterOptions) (*Clusters, error) {
	rows, err := wide(x)
	if err != nil {
		return nil, err
	}
	return clustersOf(ctx, rows, o, 0)
}

func clustersOf(ctx context.Context, x vec.Matrix[float64], o ClusterOptions, threads int) (*Clusters, error) {
	c, err := clusters.Find(ctx, x, clusters.Settings{
		MinSize: o.MinSize, MinSamples: o.MinSamples, Selection: clusters.Selection(o.Selection), Epsilon: o.Epsilon, Threads: threads,
	})
	if err != nil {
		return nil, public(err, 0)
	}
	out := &Clusters{Probability: c.Probability, Outlier: c.Outlier, Size: c.Size, Persistence: c.Persistence, predictor: clusters.NewPredictor(c, x)}
	out.Label = ints(c.Label)
	return out, nil
}

// Predict predicts the clusters of the new rows of x (n x dim). Each joins the cluster of its
// nearest row under mutual reachability. For clusters of a map, the rows are places, such as
// Places.Embedding. Size and Persistence of the result are those of c.
func (c *Clusters) Predict(ctx context.Context, x mat.Matrix) (*Clusters, error) {
	rows, err := wide(x)
	if err != nil || rows.Rows == 0 {
		return &Clusters{Size: c.Size, Persistence: c.Persistence, predictor: c.predictor}, err
	}
	m, err := c.predictor.Predict(ctx, rows)
	if err != nil {
		return nil, public(err, 0)
	}
	return &Clusters{Label: ints(m.Label), Probability: m.Probability, Outlier: m.Outlier, Size: c.Size, Persistence: c.Persistence, predictor: c.predictor}, nil
}

// wide copies a matrix in double precision.
func wide(x mat.Matrix) (vec.Matrix[float64], error) {
	from, err := sourceOf(x)
	if err != nil {
		return vec.Matrix[float64]{}, public(err, 0)
	}
	if _, single := x.(Rows); single { // rows may differ in length, which read reports
		rows, err := from.dense(0, from.rows)
		return vec.Convert[float64](rows), err
	}
	n, dim := x.Dims()
	out := vec.New[float64](n, dim)
	for i := range n {
		for c := range out.Row(i) {
			out.Row(i)[c] = x.At(i, c)
		}
	}
	return out, nil
}

func ints(x []int32) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}
