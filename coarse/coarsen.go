package coarse

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/sparse/vec"
)

// block is a Block with where it came from.
type block struct {
	Block
	landmark  int32
	landmarks bool
}

// coarsener turns blocks of one level into those of the next.
type coarsener[T vec.Float] struct {
	x      vec.Matrix[T]
	s      *Settings
	pairs  *Pairs
	blocks []block
	ties   ties
}

// run starts with level 0, one leaf of all points with Delta_ij = Delta_i, and
// coarse-grains Level times.
func (c *coarsener[T]) run(ctx context.Context) error {
	n := c.pairs.N
	all := block{landmark: -1, Block: Block{
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
			break // every block is as small as it gets
		}
	}
	return nil
}

// coarsen returns the block of blk's landmarks and the blocks of their groups,
// or nil if blk has too few nodes for two landmarks.
func (c *coarsener[T]) coarsen(ctx context.Context, level int, blk *block) ([]block, error) {
	want := Landmarks(blk.Len())
	if want < 2 {
		return nil, nil
	}
	landmarks := c.s.choose(Group{Level: level, Landmark: blk.landmark, Landmarks: blk.landmarks, Nodes: blk.Nodes, Want: want})
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
	of, dist2, err := nearest(ctx, c.x, blk.Nodes, landmarks, c.s.Threads)
	if err != nil {
		return nil, err
	}
	for a, u := range at {
		of[u], dist2[u] = int32(a), 0
	}
	if level == 1 {
		c.pairs.Landmarks, c.pairs.Of = landmarks, make([]int32, c.pairs.N)
		for u, i := range blk.Nodes {
			c.pairs.Of[i] = landmarks[of[u]]
		}
	}
	return c.split(blk, landmarks, of, dist2), nil
}

// split cuts blk by the landmark of each node and ties nodes to landmarks.
//
// The landmark block gets, by eq 25 and 26 in separated form,
// W_a = sum W_v, A_a = max (A_v + delta_av), B_a = max (B_v + delta_av).
func (c *coarsener[T]) split(blk *block, landmarks, of []int32, dist2 []float64) []block {
	m := len(landmarks)
	top := block{landmark: blk.landmark, landmarks: true, Block: Block{
		Nodes: landmarks, W: make([]float64, m), A: make([]float64, m), B: make([]float64, m),
	}}
	groups := make([]block, m)
	for a := range groups {
		groups[a] = block{landmark: landmarks[a], landmarks: blk.landmarks, Block: Block{Leaf: blk.Leaf}}
	}
	for u, i := range blk.Nodes {
		a := of[u]
		var delta float64
		if i != landmarks[a] {
			delta = math.Sqrt(Scale2(dist2[u], c.s.Floor))
			c.ties.add(i, landmarks[a], blk.W[u], dist2[u])
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
