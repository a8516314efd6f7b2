package clusters

import (
	"math"
	"slices"
)

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
		t.excessOfMass(chosen, weight, s)
	}
	if s.Epsilon != 0 && !chosen[0] {
		t.beyond(s.Epsilon, chosen, s.first())
	}
	return chosen
}

// excessOfMass selects a cluster if it is at least as stable as the best selection inside it
// (Campello et al. 2015, section 5) and within the limits of the settings.
func (t *Tree) excessOfMass(chosen []bool, weight []float64, s Settings) {
	own := t.weighed(weight)
	below := make([]float64, len(own))
	best := make([]bool, len(own))
	for c := len(own) - 1; c >= s.first(); c-- {
		stability := below[c]
		if best[c] = own[c] >= below[c] && t.permitted(c, s); best[c] {
			stability = own[c]
		}
		if c > 0 {
			below[t.Parent[c]] += stability
		}
	}
	chosen[0] = best[0]
	inside := make([]bool, len(own)) // inside a selected cluster
	for c := 1; c < len(own); c++ {
		p := t.Parent[c]
		inside[c] = inside[p] || chosen[p]
		chosen[c] = best[c] && !inside[c]
	}
}

// first returns the first cluster of the condensed tree that may be selected.
func (s Settings) first() int {
	if s.AllowSingle {
		return 0
	}
	return 1
}

// permitted reports whether a cluster is within MaxSize and EpsilonMax. For the root, points that
// leave it before it splits do not count, because they are noise even if the root is selected.
func (t *Tree) permitted(c int, s Settings) bool {
	size, born := int(t.Size[c]), t.Birth[c]
	if c == 0 {
		size, born = 0, math.Inf(1)
		for v, p := range t.Parent {
			if p == 0 {
				size += int(t.Size[v])
			}
		}
		for i, v := range t.Of {
			if v == 0 {
				born = min(born, t.Lambda[i])
			}
		}
		for v, p := range t.Parent {
			if p == 0 {
				born = min(born, t.Birth[v])
			}
		}
	}
	return (s.MaxSize == 0 || size <= s.MaxSize) && (s.EpsilonMax == 0 || 1/born <= s.EpsilonMax)
}

// beyond replaces each selected cluster whose birth distance is below epsilon by the smallest
// cluster around it whose birth distance is not, or by the largest below the root (Malzer, Baum
// 2020). Since siblings have the same birth, everything selected inside such a cluster is replaced
// by it, so that the selection stays disjoint. first is the first cluster that may be selected.
func (t *Tree) beyond(epsilon float64, chosen []bool, first int) {
	for c, was := range slices.Clone(chosen) {
		if !was {
			continue
		}
		at := int32(c)
		for p := t.Parent[at]; 1/t.Birth[at] < epsilon && int(p) >= first; p = t.Parent[at] {
			at = p
		}
		chosen[c] = false
		chosen[at] = true
	}
}
