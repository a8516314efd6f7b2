package drift

import (
	"math/rand/v2"

	"unfold/sparse/graph"
)

// Permutation is the result of a permutation test.
type Permutation struct {
	// Rounds is the number of random choices. TreeP and NeighborsP are the shares of them, the
	// window itself included, that have at most as many cross edges as the window: (1 + count)/(1 +
	// Rounds).
	Rounds            int
	TreeP, NeighborsP float64
}

// Permute tests the current window against random choices of as many points of its graph, drawn
// with the seed. It is the same test without the normal approximation. Before the window is full
// both shares are 1. The shares are valid for a look at a time that was fixed in advance. A window
// that was selected for its large statistic has small shares for that reason alone.
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
