package clusters

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Membership is the result of Predict for new points.
type Membership struct {
	// Label, Probability and Outlier are as in Clusters.
	Label       []int32
	Probability []float64
	Outlier     []float64
	// Point is the row that each new point joins, and Lambda the lambda at which it does.
	Point  []int32
	Lambda []float64

	shares *shares
	places []place
}

// Predictor predicts the clusters of new points like hdbscan's approximate_predict: a new point
// joins its nearest neighbour under mutual reachability, at that distance. It is safe for
// concurrent use.
type Predictor[T vec.Float] struct {
	h      *Hierarchy
	x      vec.Matrix[T]
	set    knn.Settings
	boxes  *boxes[T]  // nil if there are many columns
	index  *knn.Exact // nil if there are few
	centre []float64  // subtracted from rows in double precision before they are converted for index
	shares *shares
	length func(dist2 float64) float64
	given  bool // rows are distances from the points
}

// NewPredictor makes a predictor for clusters of the rows of x.
func NewPredictor[T vec.Float](c *Clusters, x vec.Matrix[T]) *Predictor[T] {
	return PredictorOf(c.Hierarchy(), x, c.set)
}

// PredictorOf makes a predictor for the clusters of the rows of x with the given hierarchy. Of the
// settings with which they were found, it uses the distance and the threads.
func PredictorOf[T vec.Float](h *Hierarchy, x vec.Matrix[T], s Settings) *Predictor[T] {
	s.Lengths = h.Lengths
	p := &Predictor[T]{h: h, x: x, set: s.knn(), shares: newShares(h, x.Cols), length: s.Length}
	if !boxed(s.Distance, x.Cols) {
		if !s.Distance.Absolute() {
			p.centre = centre(x)
		}
		p.index = knn.NewExactBy(s.Distance, p.single(x))
	} else {
		p.boxes = newBoxes(s.Distance, x, make([]float64, x.Rows), s.Threads)
	}
	return p
}

// centre returns the column means of rows in double precision, and nil for single precision.
func centre[T vec.Float](x vec.Matrix[T]) []float64 {
	if _, double := any(x).(vec.Matrix[float64]); !double {
		return nil
	}
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for k, v := range x.Row(i) {
			mean[k] += (float64(v) - mean[k]) / float64(i+1)
		}
	}
	return mean
}

// single returns rows in single precision, in the form of index.
func (p *Predictor[T]) single(x vec.Matrix[T]) vec.Matrix[float32] {
	if p.centre == nil || p.set.Distance.Bits() {
		return vec.Convert[float32](x)
	}
	out := vec.New[float32](x.Rows, x.Cols)
	for i := range x.Rows {
		row := out.Row(i)
		for k, v := range x.Row(i) {
			row[k] = float32(float64(v) - p.centre[k])
		}
	}
	return out
}

const (
	// extraFound is the number of additional neighbours that the search in single precision finds,
	// to allow for rounding.
	extraFound = 4
	// predictedTogether is the number of points in one task.
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
	if p.given {
		if err := checkDistances(q); err != nil {
			return Membership{}, err
		}
	}
	point, lambda, err := p.join(ctx, q)
	if err != nil {
		return Membership{}, fmt.Errorf("clusters: new points: %w", err)
	}
	m := Membership{Point: point, Lambda: lambda, Label: make([]int32, q.Rows), Probability: make([]float64, q.Rows), Outlier: make([]float64, q.Rows)}
	m.shares, m.places = p.shares, make([]place, q.Rows)
	for i := range q.Rows {
		at := p.h.place(point[i], lambda[i])
		m.places[i] = at
		m.Label[i], m.Outlier[i] = p.h.Label[at.cluster], 1-share(at.lambda, p.h.Last[at.cluster])
		if lambda[i] < p.h.Least {
			m.Label[i] = Noise
		}
		if l := m.Label[i]; l >= 0 {
			m.Probability[i] = share(lambda[i], p.h.Death[l])
		}
	}
	return m, nil
}

// join returns the point that each row of q joins, and the lambda at which it does.
func (p *Predictor[T]) join(ctx context.Context, q vec.Matrix[T]) (point []int32, lambda []float64, err error) {
	k := min(2*p.h.MinSamples, len(p.h.Of))
	var nb *knn.Neighbors
	if p.index != nil {
		if nb, err = p.index.Search(ctx, p.single(q), min(k+extraFound, p.x.Rows), p.set); err != nil {
			return nil, nil, err
		}
	}
	point, lambda = make([]int32, q.Rows), make([]float64, q.Rows)
	par.Ranges(p.set.Threads, q.Rows, predictedTogether, func(_, from, to int) {
		near := make(nearest, 0, k)
		for i := from; i < to && ctx.Err() == nil; i++ {
			near = near[:0]
			switch {
			case p.given:
				near = nearestGiven(near, q.Row(i), k)
			case nb == nil:
				near = p.boxes.nearest(near, q.Row(i), k, 0, 0)
			default:
				index, _ := nb.Row(i)
				for _, j := range index {
					near = near.add(neighbor{j, distance.Between(p.set.Distance, q.Row(i), p.x.Row(int(j)))}, k)
				}
			}
			point[i], lambda[i] = p.h.joined(near, p.length)
		}
	})
	return point, lambda, ctx.Err()
}

// joined returns the neighbour with the least mutual reachability to a new point, and lambda there.
// The new point is assumed to be one of the m nearest of each of its neighbours, so their core
// distance becomes the larger of its distance and inner2. Its own core distance is that to its
// neighbour of rank m+1, as in the reference implementation.
func (h *Hierarchy) joined(near nearest, length func(float64) float64) (best int32, lambda float64) {
	core2, least := near[min(h.MinSamples, len(near)-1)].dist2, math.Inf(1)
	for _, e := range near {
		if reach2 := max(h.Inner2[e.row], core2, e.dist2); reach2 < least {
			best, least = e.row, reach2
		}
	}
	return best, 1 / length(least)
}

// place is the position of a new point in the condensed tree: the smallest cluster that contains
// it, and the lambda at which it leaves that.
type place struct {
	cluster int32
	lambda  float64
}

// place returns the position of a point that joins another at a lambda and leaves with it.
func (h *Hierarchy) place(point int32, lambda float64) place {
	v := h.Of[point]
	if h.Lambda[point] > lambda {
		for v > 0 && h.Birth[v] >= lambda {
			v = h.Parent[v]
		}
	}
	return place{v, min(lambda, h.Lambda[point])}
}
