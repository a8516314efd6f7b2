package reference

import (
	"cmp"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Excess is how many points a set with the policy Coverage has beyond its size.
func (s *Set) Excess() int {
	if s.settings.Policy != Coverage {
		return 0
	}
	return max(0, s.Len()-s.settings.Size)
}

// Eligible says for each row of the map that was published last whether a point
// lies there that may go, for Crowded.
func (s *Set) Eligible(rows int) []bool {
	out := make([]bool, rows)
	for p := range s.All() {
		if r := s.row[p]; r >= 0 && int(r) < rows {
			out[r] = true
		}
	}
	return out
}

// Crowded chooses, under a distance, n of a map's eligible rows: those nearest to their k-th
// neighbours, kdist2 being the squares of these distances. A row is skipped as
// long as another that was chosen lies within that one's k-th neighbour, so that a
// crowd gets thinner and no hole; only if too few are left these are taken, too.
func Crowded(d distance.Distance, x vec.Matrix[float32], kdist2 []float64, eligible []bool, n int) []int32 {
	var order []int32
	for i, e := range eligible {
		if e {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(kdist2[a], kdist2[b]), cmp.Compare(a, b)) })
	n = min(n, len(order))
	var chosen, spared []int32
	for i := 0; i < len(order) && len(chosen) < n; i++ {
		r := order[i]
		if slices.ContainsFunc(chosen, func(c int32) bool {
			return distance.Between(d, x.Row(int(c)), x.Row(int(r))) <= kdist2[c]
		}) {
			spared = append(spared, r)
			continue
		}
		chosen = append(chosen, r)
	}
	return append(chosen, spared[:n-len(chosen)]...)
}

// Drop removes points by their rows on the map that was published last, in this order,
// until the set has no more than its size.
func (s *Set) Drop(rows []int32) {
	at := map[int32]int32{}
	for p := range s.All() {
		if s.row[p] >= 0 {
			at[s.row[p]] = p
		}
	}
	for _, r := range rows {
		p, there := at[r]
		if s.Excess() == 0 {
			return
		}
		if there {
			s.counts.Evicted++
			s.remove(p)
		}
	}
}
