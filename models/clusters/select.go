package clusters

import "slices"

// choose selects disjoint clusters of the condensed tree. weight is as in Weigh, or nil.
func (t *Tree) choose(s Settings, weight []float64) []bool {
	chosen := make([]bool, len(t.Parent))
	if s.Selection == Leaf {
		for c := range chosen {
			chosen[c] = c > 0
		}
		for _, p := range t.Parent[1:] {
			chosen[p] = false
		}
	} else {
		t.excessOfMass(chosen, weight)
	}
	if s.Epsilon != 0 {
		t.beyond(s.Epsilon, chosen)
	}
	return chosen
}

// excessOfMass selects a cluster if it is at least as stable as the best selection inside it
// (Campello et al. 2015, section 5). The root is never selected.
func (t *Tree) excessOfMass(chosen []bool, weight []float64) {
	own := t.weighed(weight)
	below := make([]float64, len(own))
	best := make([]bool, len(own))
	for c := len(own) - 1; c > 0; c-- {
		best[c] = own[c] >= below[c]
		below[t.Parent[c]] += max(own[c], below[c])
	}
	inside := make([]bool, len(own)) // inside a selected cluster
	for c := 1; c < len(own); c++ {
		p := t.Parent[c]
		inside[c] = inside[p] || chosen[p]
		chosen[c] = best[c] && !inside[c]
	}
}

// beyond replaces each selected cluster whose birth distance is below epsilon by the smallest
// cluster around it whose birth distance is not, or by the largest below the root (Malzer, Baum
// 2020). Since siblings have the same birth, everything selected inside such a cluster is replaced
// by it, so that the selection stays disjoint.
func (t *Tree) beyond(epsilon float64, chosen []bool) {
	for c, was := range slices.Clone(chosen) {
		if !was {
			continue
		}
		at := int32(c)
		for p := t.Parent[at]; 1/t.Birth[at] < epsilon && p > 0; p = t.Parent[at] {
			at = p
		}
		chosen[c] = false
		chosen[at] = true
	}
}
