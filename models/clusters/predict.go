package clusters

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
)

// Membership is that of points which were not there when clusters were found.
type Membership struct {
	// Label and Probability are as those of Clusters. Outlier is (5) at the lambda at which
	// a point joins, of the smallest cluster that it is in then.
	Label       []int32
	Probability []float64
	Outlier     []float64
}

// Predictor says to which clusters new points belong, as hdbscan's approximate prediction
// does: a new point joins its nearest neighbour under mutual reachability, at that
// distance. It is safe for concurrent use.
type Predictor[T vec.Float] struct {
	h       *Hierarchy
	x       vec.Matrix[T]
	threads int
	// boxes are those of few columns, index that of more.
	boxes *boxes[T]
	index *knn.Exact
}

// NewPredictor makes a predictor for clusters of the rows of x.
func NewPredictor[T vec.Float](c *Clusters, x vec.Matrix[T]) *Predictor[T] {
	return PredictorOf(c.Hierarchy(), x, c.set.Threads)
}

// PredictorOf makes a predictor for the clusters of the rows of x that have that hierarchy.
// threads bounds the goroutines, 0: all processors.
func PredictorOf[T vec.Float](h *Hierarchy, x vec.Matrix[T], threads int) *Predictor[T] {
	p := &Predictor[T]{h: h, x: x, threads: threads}
	if x.Cols > boxedColumns {
		p.index = knn.NewExact(vec.Convert[float32](x))
	} else {
		p.boxes = newBoxes(x, make([]float64, x.Rows), threads)
	}
	return p
}

const (
	// extraFound is how many more neighbours are found in single precision than are looked at.
	extraFound = 4
	// predictedTogether is how many points are one task.
	predictedTogether = 64
)

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
	m := Membership{Label: make([]int32, q.Rows), Probability: make([]float64, q.Rows), Outlier: make([]float64, q.Rows)}
	for i := range q.Rows {
		m.Label[i], m.Probability[i], m.Outlier[i] = p.h.member(point[i], lambda[i])
	}
	return m, nil
}

// join returns the point that each row of q joins, and at which lambda.
func (p *Predictor[T]) join(ctx context.Context, q vec.Matrix[T]) (point []int32, lambda []float64, err error) {
	k := min(2*p.h.MinSamples, p.x.Rows)
	point, lambda = make([]int32, q.Rows), make([]float64, q.Rows)
	if p.index == nil {
		par.Ranges(p.threads, q.Rows, predictedTogether, func(_, from, to int) {
			s := &nearest[T]{boxes: p.boxes, k: k, heap: make([]candidate, 0, k)}
			for i := from; i < to && ctx.Err() == nil; i++ {
				point[i], lambda[i] = p.h.nearest(s.of(q.Row(i)), k)
			}
		})
		return point, lambda, ctx.Err()
	}
	nb, err := p.index.Search(ctx, vec.Convert[float32](q), min(k+extraFound, p.x.Rows), knn.Settings{Threads: p.threads})
	if err != nil {
		return nil, nil, err
	}
	near := make([]candidate, nb.K)
	for i := range q.Rows {
		index, _ := nb.Row(i)
		for r, j := range index {
			near[r] = candidate{vec.SquaredDistance(q.Row(i), p.x.Row(int(j))), j}
		}
		slices.SortFunc(near, candidate.compare)
		point[i], lambda[i] = p.h.nearest(near, k)
	}
	return point, lambda, nil
}

// nearest returns the neighbour, of k, whose mutual reachability distance to a new point is the
// least, and lambda there. The new point is one of the m nearest of those that it is near
// to: their core distance is then the larger of its distance and inner2. Its own is that to
// its neighbour of rank m+1, as in the reference.
func (h *Hierarchy) nearest(near []candidate, k int) (best int32, lambda float64) {
	core2, least := near[min(h.MinSamples, len(near)-1)].dist2, math.Inf(1)
	for _, c := range near[:k] {
		if reach2 := max(h.Inner2[c.row], core2, c.dist2); reach2 < least {
			best, least = c.row, reach2
		}
	}
	return best, 1 / math.Sqrt(least)
}

// member returns the cluster at a lambda of that which a point belongs to.
func (h *Hierarchy) member(point int32, lambda float64) (label int32, probability, outlier float64) {
	v := h.Of[point]
	if h.Lambda[point] > lambda {
		for v > 0 && h.Birth[v] >= lambda {
			v = h.Parent[v]
		}
	}
	outlier = 1 - share(lambda, h.Last[v])
	if label = h.Label[v]; label < 0 {
		return Noise, 0, outlier
	}
	return label, share(lambda, h.Death[label]), outlier
}
