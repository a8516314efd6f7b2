package sparse

import "slices"

// FromTriplets returns the n x m matrix with the sum of the values w[p] at (i[p], j[p]). The
// triplets may be in any order, and several may have the same position; the values of one entry are
// added in the order in which they are given. Sums that are zero stay as entries. It panics with a
// ShapeError if the lists have different lengths or an index is out of range.
func FromTriplets(n, m int, i, j []int32, w []float64) *CSR {
	start, index, data := fromTriplets[int32]("FromTriplets", n, m, i, j, w)
	return &CSR{N: n, M: m, Start: start, Index: index, Data: data}
}

// fromTriplets returns the arrays of FromTriplets; fn names the caller in panics.
func fromTriplets[I int | int32](fn string, n, m int, i, j []int32, w []float64) (starts []int, index []I, data []float64) {
	if len(i) != len(j) || len(i) != len(w) {
		shapePanic(fn, "%d rows, %d columns, %d values", len(i), len(j), len(w))
	}
	start, perm := bucket(fn, n, m, i, j)
	starts, index, data = make([]int, n+1), make([]I, 0, len(i)), make([]float64, 0, len(i))
	for r := range n {
		from := len(index)
		for _, p := range perm[start[r]:start[r+1]] {
			if last := len(index) - 1; last >= from && index[last] == I(j[p]) {
				data[last] += w[p]
				continue
			}
			index, data = append(index, I(j[p])), append(data, w[p])
		}
		starts[r+1] = len(index)
	}
	return starts, index, data
}

// bucket sorts triplets by (row, column, position): those of row r are
// perm[start[r]:start[r+1]]. It panics if an index is out of range.
func bucket(fn string, n, m int, i, j []int32) (start []int, perm []int) {
	// Two stable counting sorts, by column and then by row, are linear and
	// keep equal entries in the order given.
	byColumn := make([]int, len(j))
	for p := range byColumn {
		if i[p] < 0 || int(i[p]) >= n || j[p] < 0 || int(j[p]) >= m {
			shapePanic(fn, "entry %d is (%d,%d) in a %d x %d matrix", p, i[p], j[p], n, m)
		}
	}
	next := make([]int, m+1)
	for _, c := range j {
		next[c+1]++
	}
	for c := range m {
		next[c+1] += next[c]
	}
	for p, c := range j {
		byColumn[next[c]] = p
		next[c]++
	}
	start = make([]int, n+1)
	for _, r := range i {
		start[r+1]++
	}
	for r := range n {
		start[r+1] += start[r]
	}
	perm = make([]int, len(i))
	at := slices.Clone(start[:n])
	for _, p := range byColumn {
		r := i[p]
		perm[at[r]] = p
		at[r]++
	}
	return start, perm
}

// Pattern returns a symmetric n x n matrix of zeros with entries at (i[p], j[p]) and (j[p], i[p])
// for every pair p. slot[p] is the position of (i,j) in Data, slotT[p] that of (j,i). A pair may be
// listed several times and in both directions; all occurrences share the two entries. A pair of a
// point with itself has no entry and slots -1, because the diagonal of a Laplacian follows from the
// rest.
//
// Scatter sets the values, each time they change.
func Pattern(n int, i, j []int32) (c *CSR, slot, slotT []int) {
	if len(i) != len(j) {
		shapePanic("Pattern", "%d first and %d second points", len(i), len(j))
	}
	pairs := len(i)
	// Both directions of every pair as triplets; q and q+1 belong to pair q/2.
	rows, cols := make([]int32, 0, 2*pairs), make([]int32, 0, 2*pairs)
	for p := range i {
		rows, cols = append(rows, i[p], j[p]), append(cols, j[p], i[p])
	}
	start, perm := bucket("Pattern", n, n, rows, cols)
	slot, slotT = make([]int, pairs), make([]int, pairs)
	c = &CSR{N: n, M: n, Start: make([]int, n+1), Index: make([]int32, 0, 2*pairs)}
	for r := range n {
		from := len(c.Index)
		for _, q := range perm[start[r]:start[r+1]] {
			at := slot
			if q&1 == 1 {
				at = slotT
			}
			if cols[q] == int32(r) {
				at[q/2] = -1
				continue
			}
			if last := len(c.Index) - 1; last < from || c.Index[last] != cols[q] {
				c.Index = append(c.Index, cols[q])
			}
			at[q/2] = len(c.Index) - 1
		}
		c.Start[r+1] = len(c.Index)
	}
	c.Index = slices.Clip(c.Index)
	c.Data = make([]float64, len(c.Index))
	return c, slot, slotT
}

// Scatter sets the values of a matrix made by Pattern: every entry becomes the sum of w[p] over the
// pairs p stored there, in the order of p.
func (c *CSR) Scatter(slot, slotT []int, w []float64) {
	if len(slot) != len(w) || len(slotT) != len(w) {
		shapePanic("Scatter", "%d and %d slots, %d values", len(slot), len(slotT), len(w))
	}
	clear(c.Data)
	for p, v := range w {
		if slot[p] < 0 {
			continue
		}
		c.Data[slot[p]] += v
		c.Data[slotT[p]] += v
	}
}

// Laplacian returns the graph Laplacian Lap(W) = diag(W 1) - W of the undirected graph with weight
// w[p] between i[p] and j[p]. The weights of pairs that are listed several times, in either
// direction, are added. Loops (i = j) are ignored. All n diagonal entries are stored. (Saul 2020,
// eq 19.)
func Laplacian(n int, i, j []int32, w []float64) *CSR {
	if len(i) != len(j) || len(i) != len(w) {
		shapePanic("Laplacian", "%d and %d points, %d weights", len(i), len(j), len(w))
	}
	size := n + 4*len(w)
	rows, cols, data := make([]int32, 0, size), make([]int32, 0, size), make([]float64, 0, size)
	for r := range n {
		rows, cols, data = append(rows, int32(r)), append(cols, int32(r)), append(data, 0)
	}
	for p, v := range w {
		if i[p] == j[p] {
			continue
		}
		rows = append(rows, i[p], i[p], j[p], j[p])
		cols = append(cols, i[p], j[p], j[p], i[p])
		data = append(data, v, -v, v, -v)
	}
	return FromTriplets(n, n, rows, cols, data)
}
