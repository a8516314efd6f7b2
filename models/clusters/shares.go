package clusters

import "math"

// shares are the constants of (6), which distributes a new point over clusters and noise.
type shares struct {
	tree *Hierarchy
	dim  int
	// node are the nodes of the condensed tree that are chosen clusters, by label.
	node []int32
	// next is, for each cluster of the tree, the least birth of a chosen cluster inside it;
	// infinite if there is none.
	next []float64
}

func newShares(t *Hierarchy, dim int) *shares {
	s := &shares{tree: t, dim: dim, node: make([]int32, len(t.Death)), next: make([]float64, len(t.Parent))}
	for v := len(t.Parent) - 1; v >= 0; v-- {
		s.next[v] = math.Inf(1)
		if l := t.Label[v]; l >= 0 {
			s.node[l] = int32(v) // the outermost node is visited last
		}
	}
	for _, v := range s.node {
		s.next[v] = t.Birth[v]
	}
	for v := len(t.Parent) - 1; v > 0; v-- {
		s.next[t.Parent[v]] = min(s.next[t.Parent[v]], s.next[v])
	}
	return s
}

// Shares appends the distribution of point i (6): the share of each cluster by label, followed by
// that of noise. The shares add up to 1, and none is larger than that of the point's label.
func (m Membership) Shares(to []float64, i int) []float64 {
	s, at := m.shares, m.places[i]
	from := len(to)
	weight := s.weights(at)
	sum := 0.0
	for _, v := range s.node {
		to = append(to, weight[v])
		sum += weight[v]
	}
	noise := 1.0
	if l := m.Label[i]; l >= 0 {
		noise = s.power(s.tree.Birth[s.node[l]], at.lambda)
	}
	to = append(to, noise)
	sum += noise
	for k := range to[from:] {
		to[from+k] /= sum
	}
	return to
}

// weights returns, for each cluster of the tree, the density where the point meets it, relative to
// the density where the point joins its own cluster. For noise, the reference is where it could
// join one.
func (s *shares) weights(at place) []float64 {
	t, full := s.tree, at.lambda
	if next := s.next[at.cluster]; t.Label[at.cluster] < 0 && !math.IsInf(next, 1) {
		full = max(full, next)
	}
	weight := make([]float64, len(t.Parent))
	const around = -1 // the cluster contains the point
	for v := at.cluster; v != -1; v = t.Parent[v] {
		weight[v] = around
	}
	for v, p := range t.Parent {
		if weight[v] != around { // so it is not the root
			if weight[v] = weight[p]; weight[p] == around {
				weight[v] = s.power(min(at.lambda, t.Birth[v]), full)
			}
		}
	}
	for v := at.cluster; v != -1; v = t.Parent[v] {
		weight[v] = s.power(at.lambda, full)
	}
	return weight
}

// power returns (a/b)^dim for a of at most b.
func (s *shares) power(a, b float64) float64 {
	if a >= b {
		return 1
	}
	return math.Pow(a/b, float64(s.dim))
}
