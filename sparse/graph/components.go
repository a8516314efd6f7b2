package graph

import "unfold/sparse/knn"

// Forest is a union-find structure over 0..n-1 with path halving; the root of
// a set is always its smallest member.
type Forest []int32

// NewForest returns n sets of one member.
func NewForest(n int) Forest {
	f := make(Forest, n)
	f.Clear()
	return f
}

// Clear makes every member a set of its own.
func (f Forest) Clear() {
	for i := range f {
		f[i] = int32(i)
	}
}

// Find returns the smallest member of i's set.
func (f Forest) Find(i int32) int32 {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

// Union joins the sets of i and j and reports whether they were different. It climbs from both at
// once, always from the one with the larger parent, which it links lower on the way (Rem's
// algorithm; Dijkstra, A Discipline of Programming, 1976). This takes one pass instead of two
// finds.
func (f Forest) Union(i, j int32) bool {
	for f[i] != f[j] {
		if f[i] < f[j] {
			i, j = j, i
		}
		up := f[i]
		f[i] = f[j]
		if up == i {
			return true
		}
		i = up
	}
	return false
}

// Flatten makes f[i] the smallest member of i's set, for all i.
func (f Forest) Flatten() {
	// A parent has a smaller number than its child, so it is already flat.
	for i, p := range f {
		f[i] = f[p]
	}
}

// Labels numbers the sets 0, 1, ... by their smallest members and returns the
// number of each element's set and the sizes.
func (f Forest) Labels() (label []int32, size []int) {
	label = make([]int32, len(f))
	f.Flatten()
	for i, r := range f {
		if int(r) == i {
			label[i] = int32(len(size))
			size = append(size, 0)
		} else {
			label[i] = label[r]
		}
		size[label[i]]++
	}
	return label, size
}

// Label finds the connected components of the symmetrised neighbour lists (K or K^T). label[i] is
// the component of point i; components are numbered in the order of their smallest points; size has
// their sizes.
func Label(nb *knn.Neighbors) (label []int32, size []int) {
	f := NewForest(nb.N)
	for i := range nb.N {
		index, _ := nb.Row(i)
		for _, j := range index {
			f.Union(int32(i), j)
		}
	}
	return f.Labels()
}

// largest returns the component with the most points, the first of several.
func largest(size []int) int32 {
	best := 0
	for c, n := range size {
		if n > size[best] {
			best = c
		}
	}
	return int32(best)
}

// members lists the points with a label, ascending.
func members(label []int32, which int32) []int32 {
	var list []int32
	for i, l := range label {
		if l == which {
			list = append(list, int32(i))
		}
	}
	return list
}

// restrict returns the neighbour lists of the points keep (ascending), renumbered to 0, 1, ... in
// that order. It panics if a list leaves keep, which cannot happen for a connected component.
func restrict(nb *knn.Neighbors, keep []int32) *knn.Neighbors {
	number := make([]int32, nb.N)
	for i := range number {
		number[i] = -1
	}
	for p, i := range keep {
		number[i] = int32(p)
	}
	out := knn.NewNeighbors(len(keep), nb.K)
	for p, i := range keep {
		index, dist2 := nb.Row(int(i))
		to, length := out.Row(p)
		copy(length, dist2)
		for q, j := range index {
			if number[j] < 0 {
				panic("graph: restrict: a neighbour is not among the points kept")
			}
			to[q] = number[j]
		}
	}
	return out
}
