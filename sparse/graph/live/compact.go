package live

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Compact is a copy of a graph in the form of packages knn and graph: point r is
// the one in Slots[r].
type Compact struct {
	Slots []int32
	X     vec.Matrix[float32]
	// Neighbors equals knn.Graph of X: Settings.Lists neighbours of every
	// point, or all others if they are fewer. The parts are of the first k of them.
	Neighbors *knn.Neighbors
	// Label and Size equal those of graph.Label; nil if no components are kept.
	Label []int32
	Size  []int
	// Tree holds the edges of the spanning forest, ascending by (I, J); nil if it
	// is not kept.
	Tree []graph.Edge
	// Mutual equals graph.MutualReach; nil if it is not kept.
	Mutual []bool
}

// Parts returns what graph.Join makes E of, with the first k of Neighbors.
func (c *Compact) Parts() graph.Parts {
	return graph.Parts{Label: c.Label, Size: c.Size, Tree: c.Tree, Mutual: c.Mutual}
}

// Compact returns a copy of all that is kept, in order of the slots. It fails if
// there are not more than k points.
func (g *Graph) Compact() (*Compact, error) {
	k := g.set.Neighbors
	if g.n <= k {
		return nil, fmt.Errorf("live: lists of %d neighbours need more points than the %d there are", k, g.n)
	}
	c := &Compact{Slots: g.Slots(make([]int32, 0, g.n)), Neighbors: knn.NewNeighbors(g.n, min(g.set.Lists, g.n-1))}
	c.X = g.copyRows(c.Slots)
	rank := make([]int32, g.top)
	for r, slot := range c.Slots {
		rank[slot] = int32(r)
	}
	for r, slot := range c.Slots {
		to, length := c.Neighbors.Row(r)
		index, dist2 := g.lists.listed(slot)
		copy(length, dist2)
		for p, j := range index {
			to[p] = rank[j]
		}
	}
	if g.set.Parts.forest() {
		c.label(g, rank)
	}
	if g.set.Parts.Has(Tree) {
		for _, e := range g.forest.edges {
			c.Tree = append(c.Tree, graph.Edge{I: rank[e.I], J: rank[e.J], Dist2: e.Dist2})
		}
		graph.SortEdges(c.Tree)
	}
	if g.set.Parts.Has(Reach) {
		c.Mutual = make([]bool, g.n*k)
		for r, slot := range c.Slots {
			for p := range k {
				c.Mutual[r*k+p] = g.reach.has(slot, p)
			}
		}
	}
	return c, nil
}

// label numbers the components by their smallest points.
func (c *Compact) label(g *Graph, rank []int32) {
	c.Label, c.Size = make([]int32, g.n), make([]int, 0, g.forest.trees)
	for r, slot := range c.Slots {
		if root := g.forest.root[slot]; root == slot {
			c.Label[r] = int32(len(c.Size))
			c.Size = append(c.Size, 0)
		} else {
			c.Label[r] = c.Label[rank[root]]
		}
		c.Size[c.Label[r]]++
	}
}

// Graph returns E as graph.Build makes it of the rows and the lists, with the
// given choice about components. All of Similar must be kept, and components are only
// searched for bridges if they are several. It fails as Compact does, or if ctx ends.
func (g *Graph) Graph(ctx context.Context, components graph.Components) (*graph.Graph, error) {
	g.need(Similar)
	c, err := g.Compact()
	if err != nil {
		return nil, err
	}
	return graph.Join(ctx, c.X, c.Neighbors.First(g.set.Neighbors), c.Parts(), graph.Settings{Core: g.set.Core, Components: components, Distance: g.set.Distance, Threads: g.set.Threads})
}
