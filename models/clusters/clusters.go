package clusters

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Clusters are those of some points.
type Clusters struct {
	// Core2 are the points' squared core distances.
	Core2 []float64
	// Spanning is the minimum spanning tree under mutual reachability, Dist2 its squared
	// lengths; Tree what is left of its hierarchy.
	Spanning []graph.Edge
	Tree     *Tree
	// Label is the cluster of each point, numbered by the first point in it, -1 for noise.
	// Probability is how long the point stays with its cluster, of how long that lasts, 0
	// for noise. Outlier is GLOSH (Campello et al. 2015): 0 for points that stay to the
	// end of the densest cluster around them, towards 1 for those that leave early.
	Label       []int32
	Probability []float64
	Outlier     []float64
	// Persistence of each cluster is its stability, of what so many points could have.
	Persistence []float64

	set    Settings
	labels []int32 // of the condensed tree's clusters: that of the chosen one around each, or -1
}

// Count is the number of clusters.
func (c *Clusters) Count() int { return len(c.Persistence) }

// Find finds the clusters of the rows of x (n x dim).
func Find[T vec.Float](ctx context.Context, x vec.Matrix[T], s Settings) (*Clusters, error) {
	s, err := s.Filled()
	if err != nil {
		return nil, err
	}
	if x.Rows < 2 {
		return nil, fmt.Errorf("clusters: %d points have none; there must be 2 at least", x.Rows)
	}
	nb, err := knn.Graph(ctx, x, min(max(s.MinSamples, spareNeighbors), x.Rows-1), knn.Settings{Threads: s.Threads})
	if err != nil {
		return nil, fmt.Errorf("clusters: %w", err)
	}
	core2 := make([]float64, x.Rows)
	for i := range core2 {
		_, dist2 := nb.Row(i)
		core2[i] = dist2[min(s.MinSamples, nb.K)-1]
	}
	tree, err := spanningTree(ctx, x, nb, core2, s.Threads)
	if err != nil {
		return nil, err
	}
	return Of(core2, tree, s)
}

// Of finds the clusters of n points by their squared core distances and a minimum spanning
// tree under mutual reachability.
func Of(core2 []float64, tree []graph.Edge, s Settings) (*Clusters, error) {
	s, err := s.Filled()
	if err != nil {
		return nil, err
	}
	if len(tree) != len(core2)-1 {
		return nil, fmt.Errorf("clusters: %d edges do not span %d points", len(tree), len(core2))
	}
	c := &Clusters{Core2: core2, Spanning: tree, Tree: condense(link(len(core2), tree), s.MinSize), set: s}
	c.members(c.Tree.choose(s))
	return c, nil
}

// members fills in what follows from which clusters are chosen.
func (c *Clusters) members(chosen []bool) {
	t := c.Tree
	inside := make([]int32, len(chosen)) // the chosen cluster around each, -1 if there is none
	for v := range chosen {
		switch p := t.Parent[v]; {
		case chosen[v]:
			inside[v] = int32(v)
		case p < 0:
			inside[v] = -1
		default:
			inside[v] = inside[p]
		}
	}
	number := make([]int32, len(chosen))
	for v := range number {
		number[v] = -1
	}
	n, deaths := len(t.Of), t.deaths()
	c.Label, c.Probability = make([]int32, n), make([]float64, n)
	var size []int
	for i, v := range t.Of {
		if v = inside[v]; v < 0 {
			c.Label[i] = -1
			continue
		}
		if number[v] < 0 {
			number[v] = int32(len(size))
			size = append(size, 0)
		}
		c.Label[i], c.Probability[i] = number[v], share(t.Lambda[i], deaths[v])
		size[number[v]]++
	}
	c.outliers(deaths)
	c.persistence(number, size)
	c.labels = inside
	for v, w := range inside {
		if w >= 0 {
			c.labels[v] = number[w]
		}
	}
}

// share is how much of the largest lambda one has reached; 1 for duplicates, which never
// part.
func share(lambda, most float64) float64 {
	if most == 0 || math.IsInf(lambda, 1) {
		return 1
	}
	return min(lambda, most) / most
}

// outliers fills in GLOSH: 1 - lambda_i/lambda_max, the latter of the cluster that the point
// left and of all within.
func (c *Clusters) outliers(deaths []float64) {
	t, last := c.Tree, make([]float64, len(deaths))
	copy(last, deaths)
	for v := len(last) - 1; v > 0; v-- {
		last[t.Parent[v]] = max(last[t.Parent[v]], last[v])
	}
	c.Outlier = make([]float64, len(t.Of))
	for i, v := range t.Of {
		c.Outlier[i] = 1 - share(t.Lambda[i], last[v])
	}
}

// persistence fills in how stable the clusters are, 0 to 1.
func (c *Clusters) persistence(number []int32, size []int) {
	t, stability, most := c.Tree, c.Tree.stability(), 0.0
	for _, d := range t.deaths() {
		most = max(most, d)
	}
	c.Persistence = make([]float64, len(size))
	for v, l := range number {
		switch {
		case l < 0:
		case most == 0 || math.IsInf(most, 1):
			c.Persistence[l] = 1
		default:
			c.Persistence[l] = stability[v] / (float64(size[l]) * most)
		}
	}
}
