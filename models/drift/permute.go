package drift

import (
	"math/rand/v2"

	"unfold/sparse/graph"
)

// Permutation is what choices of the window's points at random come to.
type Permutation struct {
	// Rounds is how many choices there were. TreeP and NeighborsP are the shares of them,
	// the window itself included, with no more cross edges than the window has:
	// (1 + as few)/(1 + Rounds).
	Rounds            int
	TreeP, NeighborsP float64
}

// Permute tests the window as it is by so many choices of as many of its graph's points, by
// the seed: the same test without a normal distribution. Before the window is full there is
// nothing to choose, and both shares are 1. A window that was chosen to be looked at because
// its statistic is large has small shares by that alone: they are for one look at a time
// that was chosen before.
func (m *Monitor) Permute(rounds int, seed uint64) Permutation {
	p := Permutation{Rounds: rounds, TreeP: 1, NeighborsP: 1}
	if m.graph == nil {
		return p
	}
	random := rand.New(rand.NewPCG(seed, 0x9e37))
	var lists []graph.Edge
	for i, list := range m.kept.list {
		for _, j := range list {
			lists = append(lists, graph.Edge{I: int32(i), J: j})
		}
	}
	newest := append([]bool(nil), m.newest...)
	tree, neighbors := 1, 1
	for range rounds {
		random.Shuffle(len(newest), func(i, j int) { newest[i], newest[j] = newest[j], newest[i] })
		if crossing(m.kept.edges, newest) <= m.kept.tree.all.Cross {
			tree++
		}
		if crossing(lists, newest) <= m.kept.lists.all.Cross {
			neighbors++
		}
	}
	p.TreeP, p.NeighborsP = float64(tree)/float64(rounds+1), float64(neighbors)/float64(rounds+1)
	return p
}

// crossing counts the edges between the two samples.
func crossing(edges []graph.Edge, newest []bool) (n int64) {
	for _, e := range edges {
		if newest[e.I] != newest[e.J] {
			n++
		}
	}
	return n
}
