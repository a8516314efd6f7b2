package landmark

// Block is a set of nodes all ordered pairs of which are dissimilar, but for
// the exceptions of a leaf (see the package comment).
type Block struct {
	// Nodes are point numbers, ascending.
	Nodes []int32
	// W counts the examples a node stands for; Delta_uv = A[u] + B[v].
	W, A, B []float64
	// Leaf says that the nodes stand for themselves (W = 1) and that pairs
	// with E_uv = 1 are left out as Skip and Odd say.
	Leaf bool
	// Skip[SkipStart[u]:SkipStart[u+1]] lists, ascending, the positions v > u
	// for which E_uv = 1 or E_vu = 1. Nil if the block is no leaf.
	SkipStart []int32
	Skip      []int32
	// Odd lists the ordered pairs of positions of which only one direction is
	// similar: D_uv counts (E_uv = 0), D_vu does not (E_vu = 1).
	Odd []Ordered
}

// Ordered is an ordered pair of positions in a block's Nodes.
type Ordered struct{ U, V int32 }

// Len returns the number of nodes.
func (b *Block) Len() int { return len(b.Nodes) }

// Pairs returns the number of unordered pairs that carry a weight in at least
// one direction.
func (b *Block) Pairs() int64 {
	m := int64(len(b.Nodes))
	return m*(m-1)/2 - int64(len(b.Skip)) + int64(len(b.Odd))
}

// Skips returns the partners v > u that row u leaves out, ascending.
func (b *Block) Skips(u int) []int32 {
	if b.SkipStart == nil {
		return nil
	}
	return b.Skip[b.SkipStart[u]:b.SkipStart[u+1]]
}

// bytes returns the memory of the arrays.
func (b *Block) bytes() int64 {
	return int64(4*len(b.Nodes) + 8*(len(b.W)+len(b.A)+len(b.B)) + 4*(len(b.SkipStart)+len(b.Skip)) + 8*len(b.Odd))
}

// each calls f for every ordered pair of positions that carries a weight.
func (b *Block) each(f func(u, v int)) {
	for u := range b.Nodes {
		skip := b.Skips(u)
		for v := u + 1; v < len(b.Nodes); v++ {
			if len(skip) > 0 && int(skip[0]) == v {
				skip = skip[1:]
				continue
			}
			f(u, v)
			f(v, u)
		}
	}
	for _, o := range b.Odd {
		f(int(o.U), int(o.V))
	}
}
