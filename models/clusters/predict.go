package clusters

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
)

// Membership is that of points which were not there when clusters were found.
type Membership struct {
	// Label and Probability are as those of Clusters.
	Label       []int32
	Probability []float64
}

// Predictor says to which clusters new points belong, as hdbscan's approximate prediction
// does: a new point joins its nearest neighbour under mutual reachability, at that
// distance. It is safe for concurrent use.
type Predictor[T vec.Float] struct {
	c     *Clusters
	x     vec.Matrix[T]
	index *knn.Exact
}

// NewPredictor makes a predictor for clusters of the rows of x.
func NewPredictor[T vec.Float](c *Clusters, x vec.Matrix[T]) *Predictor[T] {
	return &Predictor[T]{c: c, x: x, index: knn.NewExact(vec.Convert[float32](x))}
}

// extraFound is how many more neighbours are found in single precision than are looked at.
const extraFound = 4

// Predict returns the membership of each row of q (n x dim). The error is a
// *models.RowError, a *models.DimensionError or the context's.
func (p *Predictor[T]) Predict(ctx context.Context, q vec.Matrix[T]) (Membership, error) {
	if q.Cols != p.x.Cols {
		return Membership{}, &models.DimensionError{Got: q.Cols, Want: p.x.Cols}
	}
	if err := models.CheckRows(q, nil); err != nil {
		return Membership{}, err
	}
	point, lambda, err := p.join(ctx, q)
	if err != nil {
		return Membership{}, fmt.Errorf("clusters: new points: %w", err)
	}
	m := Membership{Label: make([]int32, q.Rows), Probability: make([]float64, q.Rows)}
	for i := range q.Rows {
		m.Label[i], m.Probability[i] = p.member(point[i], lambda[i])
	}
	return m, nil
}

// join returns the point that each row of q joins, and at which lambda.
func (p *Predictor[T]) join(ctx context.Context, q vec.Matrix[T]) (point []int32, lambda []float64, err error) {
	k := min(2*p.c.set.MinSamples, p.x.Rows)
	nb, err := p.index.Search(ctx, vec.Convert[float32](q), min(k+extraFound, p.x.Rows), knn.Settings{Threads: p.c.set.Threads})
	if err != nil {
		return nil, nil, err
	}
	point, lambda = make([]int32, q.Rows), make([]float64, q.Rows)
	for i := range q.Rows {
		index, dist2 := nb.Row(i)
		for r, j := range index {
			dist2[r] = vec.SquaredDistance(q.Row(i), p.x.Row(int(j)))
		}
		point[i], lambda[i] = p.nearest(index, dist2, k)
	}
	return point, lambda, nil
}

// nearest returns the neighbour whose mutual reachability distance to a new point is the
// least, and lambda there. The new point is one of the m nearest of those that it is near
// to: their core distance is then the larger of its distance and inner2. Its own is that to
// its neighbour of rank m+1, as in the reference.
func (p *Predictor[T]) nearest(index []int32, dist2 []float64, k int) (best int32, lambda float64) {
	order := make([]int, len(index))
	for r := range order {
		order[r] = r
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(dist2[a], dist2[b]), cmp.Compare(index[a], index[b]))
	})
	core2, least := dist2[order[min(p.c.set.MinSamples, len(order)-1)]], math.Inf(1)
	for _, r := range order[:k] {
		if reach2 := max(p.c.inner2[index[r]], core2, dist2[r]); reach2 < least {
			best, least = index[r], reach2
		}
	}
	return best, 1 / math.Sqrt(least)
}

// member returns the cluster at a lambda of that which a point belongs to.
func (p *Predictor[T]) member(point int32, lambda float64) (label int32, probability float64) {
	t := p.c.Tree
	v := t.Of[point]
	if t.Lambda[point] > lambda {
		for v > 0 && t.Birth[v] >= lambda {
			v = t.Parent[v]
		}
	}
	if label = p.c.labels[v]; label < 0 {
		return Noise, 0
	}
	return label, share(lambda, p.c.death[label])
}
