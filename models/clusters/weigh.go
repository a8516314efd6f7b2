package clusters

import (
	"fmt"
	"slices"
)

// Weigh returns the same points' clusters as they are chosen if the stability (4) of each
// cluster of the condensed tree counts weight times: weights above 1 let clusters stay that
// were there before, where another choice is hardly better. With Leaf weights do not matter.
// It panics if there is not a weight for each cluster of Tree.
func (c *Clusters) Weigh(weight []float64) *Clusters {
	if len(weight) != len(c.Tree.Parent) {
		panic(fmt.Sprintf("clusters: %d weights for a tree of %d clusters", len(weight), len(c.Tree.Parent)))
	}
	out := &Clusters{Core2: c.Core2, Spanning: c.Spanning, Tree: c.Tree, set: c.set, inner2: c.inner2}
	out.members(c.Tree.choose(c.set, weight))
	return out
}

// weighed returns S, (4), of each cluster times its weight; nil weighs all alike.
func (t *Tree) weighed(weight []float64) []float64 {
	out := t.stability()
	if slices.ContainsFunc(weight, func(w float64) bool { return w != 1 }) {
		for v := range out {
			out[v] *= weight[v]
		}
	}
	return out
}
