package reference

import (
	"cmp"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Excess returns the number of points beyond the size of a set with the policy Coverage.
func (s *Set) Excess() int {
	if s.settings.Policy != Coverage {
		return 0
	}
	return max(0, s.Len()-s.settings.Size)
}

// Eligible reports for each row of the last published map whether it has a point that may be
// evicted, for Crowded.
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
// neighbours, with squared distances kdist2. A row is skipped while another chosen one is within
// its k-th neighbour distance, so that dense regions are thinned without holes. Skipped rows are
// only taken if there are too few others.
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

// Drop removes points by their rows on the last published map, in this order, until the set is not
// larger than its size.
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
