package clusters

import "slices"

// simplify returns the tree without splits of which a side lasts for less than a range of lambda.
// If fewer than two sides last, the split is undone: the points of all sides are then those of the
// cluster, and further splits of the side that lasts longest are its splits. The points of other
// sides leave the cluster where it had split, unless no side splits further. It is hdbscan's
// simplify_hierarchy for splits into any number of clusters.
func (t *Tree) simplify(least float64) *Tree {
	n := len(t.Parent)
	sides := make([][]int32, n)
	for c := 1; c < n; c++ {
		sides[t.Parent[c]] = append(sides[t.Parent[c]], int32(c))
	}
	into, left := make([]int32, n), make([]float64, n) // left is 0 for clusters whose points keep their lambda
	for c := range into {
		into[c] = int32(c)
	}
	last := t.last()
	for p := n - 1; p >= 0; p-- { // clusters precede those that split from them
		if len(sides[p]) == 0 {
			continue
		}
		at, longest := t.Birth[sides[p][0]], sides[p][0]
		var lasting []int32
		for _, c := range sides[p] {
			if last[c]-at >= least {
				lasting = append(lasting, c)
			}
			if last[c] >= last[longest] {
				longest = c
			}
		}
		if len(lasting) >= 2 {
			longest = -1
		} else {
			lasting = sides[longest]
		}
		for _, c := range sides[p] {
			if slices.Contains(lasting, c) {
				continue
			}
			into[c] = int32(p)
			if c != longest && len(lasting) > 0 {
				left[c] = at
			}
		}
		sides[p] = lasting
	}
	return t.merged(into, left)
}

// merged returns the tree with clusters merged into those above them. Points that left a cluster
// with left above 0 have that lambda.
func (t *Tree) merged(into []int32, left []float64) *Tree {
	number := make([]int32, len(into))
	out := &Tree{Of: make([]int32, len(t.Of)), Lambda: make([]float64, len(t.Of))}
	for c, p := range into {
		if int(p) != c { // p has its number: it precedes c
			number[c] = number[p]
			continue
		}
		parent := t.Parent[c]
		if parent >= 0 {
			parent = number[parent]
		}
		number[c] = int32(len(out.Parent))
		out.Parent, out.Birth, out.Size = append(out.Parent, parent), append(out.Birth, t.Birth[c]), append(out.Size, t.Size[c])
	}
	for i, c := range t.Of {
		if out.Of[i], out.Lambda[i] = number[c], t.Lambda[i]; left[c] > 0 {
			out.Lambda[i] = left[c]
		}
	}
	return out
}
