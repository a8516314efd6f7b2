package landmark

// Block is a set of nodes in which all ordered pairs are dissimilar, except for the similar pairs
// of a leaf (see the package comment).
type Block struct {
	// Nodes are point numbers, ascending.
	Nodes []int32
	// W is the number of examples that a node represents; Delta_uv = A[u] + B[v].
	W, A, B []float64
	// Leaf reports that nodes represent themselves (W = 1). Pairs with E_uv = 1 are then omitted,
	// as listed in Skip and Odd.
	Leaf bool
	// Skip[SkipStart[u]:SkipStart[u+1]] lists, ascending, the positions v > u for which E_uv = 1 or
	// E_vu = 1. It is nil if the block is no leaf.
	SkipStart []int32
	Skip      []int32
	// Odd lists the ordered pairs of positions that are similar in one direction only: D_uv counts
	// (E_uv = 0), D_vu does not (E_vu = 1).
	Odd []Ordered
}

// Ordered is an ordered pair of positions in a block's Nodes.
type Ordered struct{ U, V int32 }

// Len returns the number of nodes.
func (b *Block) Len() int { return len(b.Nodes) }

// Pairs returns the number of unordered pairs with a weight in at least one direction.
func (b *Block) Pairs() int64 {
	m := int64(len(b.Nodes))
	return m*(m-1)/2 - int64(len(b.Skip)) + int64(len(b.Odd))
}

// Skips returns the partners v > u that row u omits, ascending.
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

// each calls f for every ordered pair of positions with a weight.
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
