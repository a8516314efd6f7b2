package clusters

import (
	"fmt"
	"slices"
)

// Weigh selects clusters of the same points again, with the stability (4) of each cluster of the
// condensed tree multiplied by its weight. Weights above 1 preserve previous clusters if another
// selection is hardly better. They have no effect with Leaf. It panics unless there is a weight for
// each cluster of Tree.
func (c *Clusters) Weigh(weight []float64) *Clusters {
	if len(weight) != len(c.Tree.Parent) {
		panic(fmt.Sprintf("clusters: %d weights for a tree of %d clusters", len(weight), len(c.Tree.Parent)))
	}
	out := &Clusters{Core2: c.Core2, Spanning: c.Spanning, Tree: c.Tree, set: c.set, inner2: c.inner2}
	out.members(c.Tree.choose(c.set, weight))
	return out
}

// weighed returns the stability S (4) of each cluster times its weight. nil means equal weights.
func (t *Tree) weighed(weight []float64) []float64 {
	out := t.stability()
	if slices.ContainsFunc(weight, func(w float64) bool { return w != 1 }) {
		for v := range out {
			out[v] *= weight[v]
		}
	}
	return out
}
