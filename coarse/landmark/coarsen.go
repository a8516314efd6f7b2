package landmark

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
)

// block is a Block with its origin.
type block struct {
	Block
	landmark  int32
	landmarks bool
	part      *part // that a Dynamic keeps for it
}

// cut is the division of a block: its landmarks, ascending, and for every node the position of the
// nearest landmark and their squared distance.
type cut struct {
	landmarks, of []int32
	dist2         []float64
	top           *part // of a Dynamic, for the landmarks and the groups
	groups        []*part
}

// coarsener computes the blocks of the next level from those of one level.
type coarsener struct {
	s *Settings
	// find returns the division of a block, nil if it has too few nodes for two landmarks.
	find   func(ctx context.Context, level int, blk *block) (*cut, error)
	root   *part
	pairs  *Pairs
	blocks []block
	ties   ties
}

// run starts with level 0, one leaf of all points with Delta_ij = Delta_i, and coarse-grains Level
// times.
func (c *coarsener) run(ctx context.Context) error {
	n := c.pairs.N
	all := block{landmark: -1, part: c.root, Block: Block{
		Nodes: make([]int32, n), W: make([]float64, n), A: make([]float64, n), B: make([]float64, n), Leaf: true,
	}}
	for i := range n {
		all.Nodes[i], all.W[i], all.A[i] = int32(i), 1, math.Sqrt(c.pairs.Bandwidth2[i])
	}
	c.blocks = []block{all}
	for level := 1; level <= c.s.Level; level++ {
		var next []block
		changed := false
		for b := range c.blocks {
			if err := ctx.Err(); err != nil {
				return err
			}
			parts, err := c.coarsen(ctx, level, &c.blocks[b])
			if err != nil {
				return err
			}
			changed = changed || parts != nil
			if parts == nil {
				parts = c.blocks[b : b+1]
			}
			next = append(next, parts...)
		}
		c.blocks = next
		if !changed {
			break // no block can be divided further
		}
	}
	return nil
}

// coarsen returns the block of blk's landmarks and the blocks of their groups, or nil if blk has
// too few nodes for two landmarks.
func (c *coarsener) coarsen(ctx context.Context, level int, blk *block) ([]block, error) {
	k, err := c.find(ctx, level, blk)
	if k == nil || err != nil {
		return nil, err
	}
	if level == 1 {
		c.pairs.Landmarks, c.pairs.Of = k.landmarks, make([]int32, c.pairs.N)
		for u, i := range blk.Nodes {
			c.pairs.Of[i] = k.landmarks[k.of[u]]
		}
	}
	return c.split(blk, k), nil
}

// search returns a find function that chooses landmarks and searches for the nearest.
func search[T vec.Float](x vec.Matrix[T], s *Settings) func(context.Context, int, *block) (*cut, error) {
	return func(ctx context.Context, level int, blk *block) (*cut, error) {
		want := Landmarks(blk.Len())
		if want < 2 {
			return nil, nil
		}
		landmarks := s.choose(Group{Level: level, Landmark: blk.landmark, Landmarks: blk.landmarks, Nodes: blk.Nodes, Want: want})
		if len(landmarks) < 2 {
			return nil, nil
		}
		at := make([]int, len(landmarks)) // positions of the landmarks in blk
		for a, i := range landmarks {
			u, found := slices.BinarySearch(blk.Nodes, i)
			if !found || a > 0 && landmarks[a-1] == i {
				return nil, fmt.Errorf("coarse: landmark %d is not a node of the block, or chosen twice", i)
			}
			at[a] = u
		}
		var of []int32
		var dist2 []float64
		var err error
		if s.Paths != nil {
			of, dist2, err = s.Paths.NearestOf(ctx, blk.Nodes, landmarks)
		} else {
			of, dist2, err = nearest(ctx, x, blk.Nodes, landmarks, s.Threads)
		}
		if err != nil {
			return nil, err
		}
		for a, u := range at {
			of[u], dist2[u] = int32(a), 0
		}
		return &cut{landmarks: landmarks, of: of, dist2: dist2}, nil
	}
}

// split divides blk by the landmark of each node and adds the similarity between nodes and
// landmarks.
//
// The landmark block gets, by eq 25 and 26 in separated form,
// W_a = sum W_v, A_a = max (A_v + delta_av), B_a = max (B_v + delta_av).
func (c *coarsener) split(blk *block, k *cut) []block {
	landmarks, of, dist2 := k.landmarks, k.of, k.dist2
	m := len(landmarks)
	top := block{landmark: blk.landmark, landmarks: true, part: k.top, Block: Block{
		Nodes: landmarks, W: make([]float64, m), A: make([]float64, m), B: make([]float64, m),
	}}
	groups := make([]block, m)
	for a := range groups {
		groups[a] = block{landmark: landmarks[a], landmarks: blk.landmarks, Block: Block{Leaf: blk.Leaf}}
		if k.groups != nil {
			groups[a].part = k.groups[a]
		}
	}
	for u, i := range blk.Nodes {
		a := of[u]
		var delta float64
		if i != landmarks[a] {
			delta = math.Sqrt(Scale2(dist2[u], c.s.Floor))
			c.ties.append(i, landmarks[a], blk.W[u], dist2[u])
		}
		top.W[a] += blk.W[u]
		top.A[a] = max(top.A[a], blk.A[u]+delta)
		top.B[a] = max(top.B[a], blk.B[u]+delta)
		g := &groups[a].Block
		g.Nodes = append(g.Nodes, i)
		g.W, g.A, g.B = append(g.W, blk.W[u]), append(g.A, blk.A[u]), append(g.B, blk.B[u])
	}
	parts := []block{top}
	for _, g := range groups {
		if g.Len() > 1 { // one node has no pairs
			parts = append(parts, g)
		}
	}
	return parts
}
