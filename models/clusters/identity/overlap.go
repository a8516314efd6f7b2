package identity

import (
	"cmp"
	"slices"
)

// overlaps count the points that old and new clusters share.
type overlaps struct {
	old, new int
	// size are the points of each new cluster, young those of them that were
	// on fewer than Settings.Young maps.
	size, young []int
	maps        []shared
}

// shared are the counts of one earlier map: of the points of each old cluster that are on
// the new map, of those of each new cluster that were on the old one, and of both, old x new.
type shared struct{ old, new, both []int }

// overlapsOf counts those of the clusters of a state and new ones.
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

// pairs returns those that overlap enough, the most first.
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

// left is how many points of an old cluster are still there: the most of those of one map.
func (o *overlaps) left(a int) (most int) {
	for _, m := range o.maps {
		most = max(most, m.old[a])
	}
	return most
}

// inside returns the new cluster that most points of an old one are in, -1 if there is none.
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

// isYoung says whether most points of a new cluster are.
func (o *overlaps) isYoung(b int) bool { return 2*o.young[b] > o.size[b] }

// origin returns the old cluster that most points of a new one were in, -1 if there is none or
// the cluster is young.
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
