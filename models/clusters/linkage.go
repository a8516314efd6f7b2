package clusters

import (
	"cmp"
	"slices"

	"unfold/sparse/graph"
)

// linkage is the single linkage hierarchy of a spanning tree by levels. Equally long edges join
// their parts at once, so a node may have more than two children. The hierarchy does not depend on
// the order of equal edges. With Apart every edge has a node of its own, and the order matters.
type linkage struct {
	n int
	// Nodes below n are points. The others are numbered by ascending level, and the last is the
	// root. level is the squared reachability at which a node's children join.
	level []float64
	size  []int32
	// children of node n+v are child[start[v]:start[v+1]].
	start []int32
	child []int32
}

// link makes the hierarchy of n >= 1 points from the n-1 edges of a spanning tree.
func link(n int, tree []graph.Edge, ties Ties) *linkage {
	l := &linkage{n: n, level: make([]float64, n, 2*n), size: make([]int32, n, 2*n), start: make([]int32, 1, n), child: make([]int32, 0, 2*n)}
	for i := range l.size {
		l.size[i] = 1
	}
	forest, node := graph.NewForest(n), make([]int32, n) // node of each component, by the component's root
	for i := range node {
		node[i] = int32(i)
	}
	if !slices.IsSortedFunc(tree, shorterFirst) {
		sorted := make([]graph.Edge, 0, len(tree))
		for _, e := range graph.ByLength(tree) {
			sorted = append(sorted, tree[e])
		}
		tree = sorted
	}
	var parts []joined
	for len(tree) > 0 {
		level, to := tree[0].Dist2, 1
		for to < len(tree) && tree[to].Dist2 == level {
			to++
		}
		if to == 1 || ties == Apart {
			l.pair(tree[0], forest, node)
			tree = tree[1:]
			continue
		}
		parts = parts[:0]
		for _, e := range tree[:to] {
			parts = append(parts, joined{point: e.I, node: node[forest.Find(e.I)]}, joined{point: e.J, node: node[forest.Find(e.J)]})
		}
		for _, e := range tree[:to] {
			forest.Union(e.I, e.J)
		}
		l.add(level, parts, forest, node)
		tree = tree[to:]
	}
	return l
}

func shorterFirst(a, b graph.Edge) int { return cmp.Compare(a.Dist2, b.Dist2) }

// pair makes a node for one edge.
func (l *linkage) pair(e graph.Edge, forest graph.Forest, node []int32) {
	i, j := forest.Find(e.I), forest.Find(e.J)
	a, b := min(node[i], node[j]), max(node[i], node[j])
	forest.Union(i, j)
	node[min(i, j)] = int32(len(l.level))
	l.child = append(l.child, a, b)
	l.level, l.size = append(l.level, e.Dist2), append(l.size, l.size[a]+l.size[b])
	l.start = append(l.start, int32(len(l.child)))
}

// joined is a node that a level joins with others, one of its points, and the component that
// contains it afterwards.
type joined struct{ root, node, point int32 }

// add makes a node for each component that a level joins from others.
func (l *linkage) add(level float64, parts []joined, forest graph.Forest, node []int32) {
	for i := range parts {
		parts[i].root = forest.Find(parts[i].point)
	}
	slices.SortFunc(parts, func(a, b joined) int {
		return cmp.Or(cmp.Compare(a.root, b.root), cmp.Compare(a.node, b.node))
	})
	for i := 0; i < len(parts); {
		root, size, last := parts[i].root, int32(0), int32(-1)
		for ; i < len(parts) && parts[i].root == root; i++ {
			if v := parts[i].node; v != last {
				l.child = append(l.child, v)
				size += l.size[v]
				last = v
			}
		}
		node[root] = int32(len(l.level))
		l.level, l.size = append(l.level, level), append(l.size, size)
		l.start = append(l.start, int32(len(l.child)))
	}
}

// root returns the node of all points.
func (l *linkage) root() int32 { return int32(len(l.level) - 1) }

// of returns the children of a node; a point has none.
func (l *linkage) of(v int32) []int32 {
	if int(v) < l.n {
		return nil
	}
	return l.child[l.start[int(v)-l.n]:l.start[int(v)-l.n+1]]
}
