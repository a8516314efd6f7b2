package clusters

import (
	"math"

	"unfold/models/snapshot"
)

// Hierarchy is the part of the clusters of n points that a Predictor needs. It can be stored in a
// file.
type Hierarchy struct {
	// MinSamples is m of (1).
	MinSamples int
	// Inner2 are the squared distances of the n points to their neighbour of rank m-1; 0 if m is 1.
	Inner2 []float64
	// Of and Lambda (n each) are those of Tree, and so are Parent and Birth of each cluster of the
	// condensed tree.
	Of     []int32
	Lambda []float64
	Parent []int32
	Birth  []float64
	// Last and Label are indexed by cluster of the condensed tree. Last is the largest lambda in the
	// cluster and all clusters inside it. Label is the chosen cluster that contains it, which may be itself, or Noise.
	Last  []float64
	Label []int32
	// Death is the largest lambda of each chosen cluster.
	Death []float64
	// Least is the smallest lambda of members of the root, if that is a cluster (AllowSingle).
	// Lengths is that of Settings. Files contain neither.
	Least   float64
	Lengths bool
}

// Hierarchy returns the hierarchy of the clusters. It shares memory with them.
func (c *Clusters) Hierarchy() *Hierarchy {
	t := c.Tree
	return &Hierarchy{
		MinSamples: c.set.MinSamples, Inner2: c.inner2, Of: t.Of, Lambda: t.Lambda, Parent: t.Parent, Birth: t.Birth,
		Last: t.last(), Label: c.labels, Death: c.death, Least: c.least, Lengths: c.set.Lengths,
	}
}

// Names of the parts of a snapshot.
const (
	partPoints = "clusters.points" // n x 2: inner2, lambda
	partLeaf   = "clusters.of"     // n: the smallest cluster
	partTree   = "clusters.tree"   // clusters of the tree x 2: birth, last
	partAbove  = "clusters.above"  // clusters of the tree x 2: parent and label, each + 1
	partDeath  = "clusters.death"  // 1 + chosen clusters: m, deaths
)

// Parts returns the hierarchy as parts of a snapshot.
func (h *Hierarchy) Parts() []snapshot.Part {
	n, v := len(h.Of), len(h.Parent)
	points, of := make([]float64, 0, 2*n), make([]uint32, n)
	for i, c := range h.Of {
		points, of[i] = append(points, h.Inner2[i], bounded(h.Lambda[i])), uint32(c)
	}
	tree, above := make([]float64, 0, 2*v), make([]uint32, 0, 2*v)
	for c := range h.Parent {
		tree, above = append(tree, bounded(h.Birth[c]), bounded(h.Last[c])), append(above, uint32(h.Parent[c]+1), uint32(h.Label[c]+1))
	}
	death := []float64{float64(h.MinSamples)}
	for _, d := range h.Death {
		death = append(death, bounded(d))
	}
	return []snapshot.Part{
		{Name: partPoints, Rows: n, Cols: 2, Data: points}, {Name: partLeaf, Rows: n, Cols: 1, Data: of},
		{Name: partTree, Rows: v, Cols: 2, Data: tree}, {Name: partAbove, Rows: v, Cols: 2, Data: above},
		{Name: partDeath, Rows: len(death), Cols: 1, Data: death},
	}
}

// bounded returns a lambda in its file form. That of duplicates is infinite and becomes the largest
// number.
func bounded(lambda float64) float64 { return min(lambda, math.MaxFloat64) }

// infinite undoes bounded.
func infinite(lambda float64) float64 {
	if lambda == math.MaxFloat64 {
		return math.Inf(1)
	}
	return lambda
}

// HierarchyOf returns the hierarchy in a snapshot, nil if there is none. The error matches
// models.ErrBadInput.
func HierarchyOf(s *snapshot.Snapshot) (*Hierarchy, error) {
	if _, there := s.Part(partPoints); !there {
		return nil, nil
	}
	r := partReader{s: s}
	points := floats(&r, partPoints, 0, 2)
	n := len(points) / 2
	of := numbers(&r, partLeaf, n, 1)
	tree, above, death := floats(&r, partTree, 0, 2), numbers(&r, partAbove, 0, 2), floats(&r, partDeath, 0, 1)
	if r.err == nil && n == 0 {
		r.wrong("there are no points")
	}
	if r.err == nil && (len(tree) != len(above) || death[0] < 1 || death[0] > float64(math.MaxInt32)) {
		r.wrong("%d clusters of the tree, of which %d are in others, and m = %v", len(tree)/2, len(above)/2, death[0])
	}
	for name, list := range map[string][]float64{partPoints: points, partTree: tree, partDeath: death} {
		for i, v := range list {
			if r.err == nil && !(v >= 0) {
				r.wrong("value %d of part %q is %g: want no less than 0", i, name, v)
			}
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	v := len(above) / 2
	h := &Hierarchy{
		MinSamples: int(death[0]), Inner2: make([]float64, n), Of: make([]int32, n), Lambda: make([]float64, n),
		Parent: make([]int32, v), Birth: make([]float64, v), Last: make([]float64, v), Label: make([]int32, v),
	}
	for i := range n {
		h.Inner2[i], h.Lambda[i], h.Of[i] = points[2*i], infinite(points[2*i+1]), int32(of[i])
		r.below("point", i, "cluster of the tree", int(of[i]), v)
	}
	for c := range v {
		h.Birth[c], h.Last[c] = infinite(tree[2*c]), infinite(tree[2*c+1])
		h.Parent[c], h.Label[c] = int32(above[2*c])-1, int32(above[2*c+1])-1
		r.below("cluster of the tree", c, "one above", int(above[2*c]), c+1)
		r.below("cluster of the tree", c, "cluster", int(above[2*c+1]), len(death))
		if c > 0 && above[2*c] == 0 {
			r.wrong("cluster %d of the tree is in none", c)
		}
	}
	h.Death = make([]float64, 0, len(death)-1)
	for _, d := range death[1:] {
		h.Death = append(h.Death, infinite(d))
	}
	return h, r.err
}
