package identity

import (
	"unfold/models/clusters"
)

// Keep selects the clusters of a map again such that previous clusters stay if another selection is
// hardly better. For each living cluster, the cluster of the condensed tree that overlaps it most
// by (1) is favoured: its stability is multiplied by 1 + Settings.Favour. If it contains young
// clusters, all clusters into which it must split to separate them are favoured, too. The error is
// a *models.SettingError.
func Keep(c *clusters.Clusters, state State, was Memory, s Settings) (*clusters.Clusters, error) {
	s, err := s.Filled()
	if err != nil || s.Favour < 0 || len(state.Clusters) == 0 || was.Depth == 0 {
		return c, err
	}
	k := newKeeper(c.Tree, state, was, s)
	weight := make([]float64, len(c.Tree.Parent))
	for v := range weight {
		weight[v] = 1
	}
	for a := range state.Clusters {
		if v := k.most(a, s.Overlap); v >= 0 {
			k.favour(v, weight, 1+s.Favour)
		}
	}
	return c.Weigh(weight), nil
}

// keeper counts the points that the clusters of a condensed tree share with those of the previous
// map.
type keeper struct {
	*overlaps
	tree *clusters.Tree
	// inside is true for clusters of the tree that contain a young cluster whose parent is not
	// young.
	inside []bool
}

func newKeeper(t *clusters.Tree, state State, was Memory, s Settings) keeper {
	k := keeper{overlapsOf(state, was, t.Of, len(t.Parent), s), t, make([]bool, len(t.Parent))}
	// A point belongs to all clusters of the tree around its own. Children follow their parents.
	m := k.maps[0]
	for v := len(t.Parent) - 1; v > 0; v-- {
		p := int(t.Parent[v])
		k.size[p] += k.size[v]
		k.young[p] += k.young[v]
		m.new[p] += m.new[v]
		for a := range k.old {
			m.both[a*k.new+p] += m.both[a*k.new+v]
		}
	}
	for v := len(t.Parent) - 1; v > 0; v-- {
		if p := int(t.Parent[v]); k.inside[v] || k.isYoung(v) && !k.isYoung(p) {
			k.inside[p] = true
		}
	}
	return k
}

// most returns the cluster of the tree that overlaps an old one the most, or -1 if no overlap is at
// least least.
func (k keeper) most(a int, least float64) int {
	m, best, most := k.maps[0], -1, 0.0
	for v := 1; v < k.new; v++ {
		both := m.both[a*k.new+v]
		if j := float64(both) / float64(max(1, m.old[a]+m.new[v]-both)); j >= least && j > most {
			best, most = v, j
		}
	}
	return best
}

// favour sets the weight of v. If a young cluster splits from an older one inside v, it also sets
// the weights of all clusters into which v must split for that.
func (k keeper) favour(v int, weight []float64, much float64) {
	weight[v] = much
	if !k.inside[v] {
		return
	}
	for child := v + 1; child < k.new; child++ {
		if int(k.tree.Parent[child]) == v {
			k.favour(child, weight, much)
		}
	}
}
