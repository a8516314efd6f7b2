package clusters

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/graph"
	"unfold/sparse/knn/auto"
)

// Clusters are the clusters of n points.
type Clusters struct {
	// Core2 are the points' squared core distances, n of them.
	Core2 []float64
	// Spanning is the minimum spanning tree under mutual reachability: n-1 edges whose Dist2 are
	// squared lengths. Tree is its condensed hierarchy.
	Spanning []graph.Edge
	Tree     *Tree
	// Label is the cluster of each point, or Noise. Clusters are numbered in the order of their
	// first points. Probability, from 0 to 1, is the lambda at which the point leaves its cluster,
	// relative to the cluster's largest lambda; 0 for noise. Outlier is the GLOSH score (5): 0 for
	// points that stay to the end of the densest cluster around them, near 1 for those that leave
	// early.
	Label       []int32
	Probability []float64
	Outlier     []float64
	// Size is the number of points of each cluster. Persistence, from 0 to 1, is its stability
	// relative to the largest possible for its number of points.
	Size        []int
	Persistence []float64

	set    Settings
	inner2 []float64 // squared distances to the neighbour of rank m-1; 0 if m is 1
	labels []int32   // per cluster of the condensed tree: the label of the chosen cluster around it
	death  []float64 // the largest lambda of each cluster, by label
	least  float64   // the smallest lambda of members of the root, if that is a cluster
}

// Noise is the label of points that are in no cluster.
const Noise int32 = -1

// Count returns the number of clusters.
func (c *Clusters) Count() int { return len(c.Size) }

// Chosen returns the label of each cluster of the condensed tree that was selected, Noise for the
// others.
func (c *Clusters) Chosen() []int32 {
	out := slices.Clone(c.labels)
	for v := len(out) - 1; v > 0; v-- {
		if c.labels[c.Tree.Parent[v]] != Noise {
			out[v] = Noise // it is inside a selected cluster
		}
	}
	return out
}

// Find finds the clusters of the rows of x (n x dim). The result depends only on the rows, not on
// their order or on the number of threads. The error is a *models.SettingError, a *models.RowError
// or another that matches models.ErrBadInput, or that of the context.
func Find[T vec.Float](ctx context.Context, x vec.Matrix[T], s Settings) (*Clusters, error) {
	s, err := s.Of(x.Rows).Filled()
	if err != nil {
		return nil, err
	}
	if x.Rows < 2 {
		return nil, models.BadInputf("%d rows have no clusters; give at least 2", x.Rows)
	}
	if err := models.CheckRows(x, nil); err != nil {
		return nil, err
	}
	nb, _, err := auto.Graph(ctx, x, min(max(s.MinSamples, spareNeighbors), x.Rows-1), s.search(), s.knn())
	if err != nil {
		return nil, fmt.Errorf("clusters: %w", err)
	}
	core2, inner2 := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range core2 {
		_, dist2 := nb.Row(i)
		m := min(s.MinSamples, nb.K)
		if core2[i] = dist2[m-1]; m > 1 {
			inner2[i] = dist2[m-2]
		}
	}
	tree, err := spanningTree(ctx, x, nb, core2, s)
	if err != nil {
		return nil, err
	}
	if s.Ties == Apart {
		tree = apart(x, nb, core2, tree, s.Distance)
	}
	return found(core2, inner2, tree, s), nil
}

// found returns the clusters of a spanning tree.
func found(core2, inner2 []float64, tree []graph.Edge, s Settings) *Clusters {
	c := &Clusters{Core2: core2, Spanning: tree, Tree: condense(link(len(core2), tree, s.Ties), s), set: s, inner2: inner2}
	if s.Persistence > 0 {
		c.Tree = c.Tree.simplify(s.Persistence)
	}
	c.members(c.Tree.choose(s, nil))
	return c
}

// members sets the fields that depend on the choice of clusters.
func (c *Clusters) members(chosen []bool) {
	t := c.Tree
	n := len(t.Of)
	deaths := t.deaths()
	if c.least = 0; chosen[0] {
		if c.least = deaths[0]; c.set.Epsilon != 0 {
			c.least = 1 / c.set.Epsilon
		}
	}
	c.number(t.around(chosen))
	c.death = make([]float64, c.Count())
	for v, d := range deaths {
		if chosen[v] {
			c.death[c.labels[v]] = d
		}
	}
	c.Label, c.Probability = make([]int32, n), make([]float64, n)
	for i, v := range t.Of {
		if c.Label[i] = c.labels[v]; t.Lambda[i] < c.least {
			c.Label[i] = Noise
		}
		if c.Label[i] >= 0 {
			c.Probability[i] = share(t.Lambda[i], c.death[c.Label[i]])
		}
	}
	c.outliers()
	c.persistence(chosen)
}

// around returns for each cluster of the condensed tree the chosen cluster that contains it, which
// may be itself. It is Noise if there is none.
func (t *Tree) around(chosen []bool) []int32 {
	inside := make([]int32, len(chosen))
	for v := range chosen {
		switch {
		case chosen[v]:
			inside[v] = int32(v)
		case v == 0:
			inside[v] = Noise
		default:
			inside[v] = inside[t.Parent[v]]
		}
	}
	return inside
}

// number labels the chosen clusters in the order of their first points, and counts their points.
func (c *Clusters) number(inside []int32) {
	label := make([]int32, len(inside))
	for v := range label {
		label[v] = Noise
	}
	for i, v := range c.Tree.Of {
		if v = inside[v]; v == Noise || c.Tree.Lambda[i] < c.least {
			continue
		}
		if label[v] < 0 {
			label[v] = int32(len(c.Size))
			c.Size = append(c.Size, 0)
		}
		c.Size[label[v]]++
	}
	c.labels = make([]int32, len(inside))
	for v, w := range inside {
		if c.labels[v] = Noise; w != Noise {
			c.labels[v] = label[w]
		}
	}
}

// share returns lambda relative to the largest; 1 for duplicates, which are never separated.
func share(lambda, most float64) float64 {
	if most == 0 || math.IsInf(lambda, 1) {
		return 1
	}
	return min(lambda, most) / most
}

// outliers computes the GLOSH scores (5).
func (c *Clusters) outliers() {
	t, last := c.Tree, c.Tree.last()
	c.Outlier = make([]float64, len(t.Of))
	for i, v := range t.Of {
		c.Outlier[i] = 1 - share(t.Lambda[i], last[v])
	}
}

// persistence computes the relative stability of the clusters.
func (c *Clusters) persistence(chosen []bool) {
	t, stability, most := c.Tree, c.Tree.stability(), 0.0
	for _, d := range t.deaths() {
		most = max(most, d)
	}
	c.Persistence = make([]float64, c.Count())
	for v, l := range c.labels {
		switch {
		case !chosen[v]:
		case most == 0 || math.IsInf(most, 1):
			c.Persistence[l] = 1
		default:
			c.Persistence[l] = stability[v] / (float64(c.Size[l]) * most)
		}
	}
}
