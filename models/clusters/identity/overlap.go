package identity

import (
	"cmp"
	"slices"
)

// overlaps count the points that old and new clusters share.
type overlaps struct {
	old, new int
	// size is the number of points of each new cluster, young that of points that were on fewer
	// than Settings.Young maps.
	size, young []int
	maps        []shared
}

// shared are the counts of one earlier map: points of each old cluster that are on the new map,
// points of each new cluster that were on the old one, and points in both (old x new).
type shared struct{ old, new, both []int }

// overlapsOf counts the overlaps of the clusters of a state with new ones.
func overlapsOf(state State, was Memory, label []int32, count int, s Settings) *overlaps {
	o := &overlaps{old: len(state.Clusters), new: count, size: make([]int, count), young: make([]int, count)}
	at := make(map[ID]int, o.old)
	for a, c := range state.Clusters {
		at[c.ID] = a
	}
	for i, b := range label {
		if b >= 0 {
			o.size[b]++
			if int(was.Maps[i]) < s.Young {
				o.young[b]++
			}
		}
	}
	for l := range was.Depth {
		m := shared{make([]int, o.old), make([]int, count), make([]int, o.old*count)}
		for i, b := range label {
			id := was.Row(i)[l]
			if id == Absent {
				continue
			}
			if b >= 0 {
				m.new[b]++
			}
			if a, lives := at[id]; lives {
				m.old[a]++
				if b >= 0 {
					m.both[a*count+int(b)]++
				}
			}
		}
		o.maps = append(o.maps, m)
	}
	return o
}

// pair is an old and a new cluster, and their overlap.
type pair struct {
	old, new int
	overlap  float64
}

// pairs returns the pairs with sufficient overlap in descending order of overlap.
func (o *overlaps) pairs(s Settings) (out []pair) {
	for a := range o.old {
		for b := range o.new {
			most, weight := 0.0, 1.0
			for _, m := range o.maps {
				both := m.both[a*o.new+b]
				if both > 0 {
					most = max(most, weight*float64(both)/float64(m.old[a]+m.new[b]-both))
				}
				weight *= s.Decay
			}
			if most >= s.Overlap {
				out = append(out, pair{a, b, most})
			}
		}
	}
	slices.SortFunc(out, func(p, q pair) int {
		return cmp.Or(-cmp.Compare(p.overlap, q.overlap), cmp.Compare(p.old, q.old), cmp.Compare(p.new, q.new))
	})
	return out
}

// left returns the number of points of an old cluster that are still there, the maximum over the
// remembered maps.
func (o *overlaps) left(a int) (most int) {
	for _, m := range o.maps {
		most = max(most, m.old[a])
	}
	return most
}

// inside returns the new cluster that contains most points of an old one, or -1 if there is none.
func (o *overlaps) inside(a int) int {
	if len(o.maps) == 0 {
		return -1
	}
	for b := range o.new {
		if 2*o.maps[0].both[a*o.new+b] > o.maps[0].old[a] {
			return b
		}
	}
	return -1
}

// isYoung reports whether most points of a new cluster are young.
func (o *overlaps) isYoung(b int) bool { return 2*o.young[b] > o.size[b] }

// origin returns the old cluster that contained most points of a new one. It returns -1 if there is
// none or the new cluster is young.
func (o *overlaps) origin(b int) int {
	if len(o.maps) == 0 || o.isYoung(b) {
		return -1
	}
	for a := range o.old {
		if 2*o.maps[0].both[a*o.new+b] > o.maps[0].new[b] {
			return a
		}
	}
	return -1
}
