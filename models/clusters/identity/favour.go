package identity

import (
	"unfold/models/clusters"
)

// Keep chooses the clusters of a map again so that those of the map before stay where another
// choice is hardly better: of each cluster that lives, the cluster of the condensed tree that
// overlaps it the most, by (1), counts 1 + Settings.Favour times in the excess of mass.
// The error is a *models.SettingError.
func Keep(c *clusters.Clusters, state State, was Memory, s Settings) (*clusters.Clusters, error) {
	s, err := s.Filled()
	if err != nil || s.Favour < 0 || len(state.Clusters) == 0 || was.Depth == 0 {
		return c, err
	}
	t := c.Tree
	o := overlapsOf(state, Memory{Depth: 1, ID: newest(was)}, t.Of, len(t.Parent))
	m := o.maps[0]
	// Points are in all clusters of the tree around theirs; children come after parents.
	for v := len(t.Parent) - 1; v > 0; v-- {
		p := int(t.Parent[v])
		m.new[p] += m.new[v]
		for a := range o.old {
			m.both[a*o.new+p] += m.both[a*o.new+v]
		}
	}
	weight := make([]float64, len(t.Parent))
	for v := range weight {
		weight[v] = 1
	}
	for a := range o.old {
		best, most := -1, 0.0
		for v := 1; v < o.new; v++ {
			both := m.both[a*o.new+v]
			if j := float64(both) / float64(max(1, m.old[a]+m.new[v]-both)); j >= s.Overlap && j > most {
				best, most = v, j
			}
		}
		if best >= 0 {
			weight[best] = 1 + s.Favour
		}
	}
	return c.Weigh(weight), nil
}

// newest are the clusters that points were in on the map before.
func newest(m Memory) []ID {
	out := make([]ID, m.Rows())
	for i := range out {
		out[i] = m.Row(i)[0]
	}
	return out
}
