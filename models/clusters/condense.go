package clusters

// Tree is the condensed tree: clusters that split into others, and points that leave them one by
// one. Cluster 0 is the root, which contains all points. Parents precede their children. Lambda is
// 1/distance, infinite for duplicates.
type Tree struct {
	// By cluster: Parent is the cluster from which it split, -1 for the root. Birth is the lambda
	// of the split, 0 for the root. Size is its number of points at birth.
	Parent []int32
	Birth  []float64
	Size   []int32
	// By point: Of is the smallest cluster that it was in, and Lambda the lambda at which it left
	// that cluster.
	Of     []int32
	Lambda []float64
}

// part is a node of the hierarchy inside a cluster.
type part struct{ node, cluster int32 }

// condense reduces the hierarchy to the clusters of at least MinSize points.
func condense(l *linkage, s Settings) *Tree {
	minSize := s.MinSize
	t := &Tree{Parent: []int32{-1}, Birth: []float64{0}, Size: []int32{int32(l.n)}, Of: make([]int32, l.n), Lambda: make([]float64, l.n)}
	var below []int32
	for stack := []part{{l.root(), 0}}; len(stack) > 0; {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		lambda, large := 1/s.Length(l.level[p.node]), 0
		children := l.of(p.node)
		for _, v := range children {
			if int(l.size[v]) >= minSize {
				large++
			}
		}
		for _, v := range children {
			switch {
			case int(l.size[v]) < minSize:
				below = t.leave(l, v, p.cluster, lambda, below)
			case large == 1:
				stack = append(stack, part{v, p.cluster})
			default:
				stack = append(stack, part{v, t.split(p.cluster, lambda, l.size[v])})
			}
		}
	}
	return t
}

// split adds a cluster.
func (t *Tree) split(parent int32, lambda float64, size int32) int32 {
	t.Parent, t.Birth, t.Size = append(t.Parent, parent), append(t.Birth, lambda), append(t.Size, size)
	return int32(len(t.Parent) - 1)
}

// leave records that all points of a node leave a cluster. below is scratch memory.
func (t *Tree) leave(l *linkage, node, cluster int32, lambda float64, below []int32) []int32 {
	if int(node) < l.n {
		t.Of[node], t.Lambda[node] = cluster, lambda
		return below
	}
	below = append(below[:0], node)
	for len(below) > 0 {
		v := below[len(below)-1]
		below = below[:len(below)-1]
		if int(v) < l.n {
			t.Of[v], t.Lambda[v] = cluster, lambda
		}
		below = append(below, l.of(v)...)
	}
	return below
}

// stability returns the stability S (4) of each cluster: the sum over its points of the range of
// lambda from the cluster's birth to the point's departure, also to a child.
func (t *Tree) stability() []float64 {
	out := make([]float64, len(t.Parent))
	for i, c := range t.Of {
		out[c] += t.Lambda[i] - t.Birth[c]
	}
	for c := 1; c < len(t.Parent); c++ {
		p := t.Parent[c]
		out[p] += (t.Birth[c] - t.Birth[p]) * float64(t.Size[c])
	}
	return out
}

// deaths returns, for each cluster, the largest lambda at which a point leaves it or it splits.
func (t *Tree) deaths() []float64 {
	out := make([]float64, len(t.Parent))
	for i, c := range t.Of {
		out[c] = max(out[c], t.Lambda[i])
	}
	for c := 1; c < len(t.Parent); c++ {
		out[t.Parent[c]] = max(out[t.Parent[c]], t.Birth[c])
	}
	return out
}

// last returns, for each cluster, the largest lambda in it and in all clusters inside it: most in
// (5).
func (t *Tree) last() []float64 {
	out := t.deaths()
	for c := len(out) - 1; c > 0; c-- {
		out[t.Parent[c]] = max(out[t.Parent[c]], out[c])
	}
	return out
}
