package graph

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse"
)

// Collapse finds rows of x that are equal element by element, where -0 equals
// 0. unique lists the first row of each class, ascending; of[i] is the class
// of row i, an index into unique; count[c] is the size of class c.
//
// Rows with a NaN are equal to no row, not even to a copy of themselves.
func Collapse[T vec.Float](x vec.Matrix[T]) (unique []int32, of []int32, count []uint32) {
	key := make([]byte, 8*x.Cols)
	return classes(x.Rows, func(i int) []byte {
		for k, v := range x.Row(i) {
			// Adding 0 changes -0 to 0 and leaves all other values unchanged.
			binary.LittleEndian.PutUint64(key[8*k:], math.Float64bits(float64(v+0)))
		}
		return key
	}, func(i, j int) bool { return equal(x.Row(i), x.Row(j)) })
}

// CollapseSparse is Collapse for the rows of a sparse matrix without stored zeros.
func CollapseSparse(a *sparse.Rows) (unique []int32, of []int32, count []uint32) {
	var key []byte
	return classes(a.N(), func(i int) []byte {
		index, data := a.Row(i)
		key = key[:0]
		for p, j := range index {
			key = binary.LittleEndian.AppendUint32(key, uint32(j))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(data[p]))
		}
		return key
	}, func(i, j int) bool {
		a1, x := a.Row(i)
		a2, y := a.Row(j)
		return slices.Equal(a1, a2) && slices.Equal(x, y)
	})
}

// classes finds the classes of n rows; equal rows must have the same key.
func classes(n int, key func(i int) []byte, same func(i, j int) bool) (unique []int32, of []int32, count []uint32) {
	of = make([]int32, n)
	// The seed differs between runs, so that nobody can provoke hash collisions; the result does
	// not depend on it.
	seed := maphash.MakeSeed()
	first := make(map[uint64]int32, n) // hash -> newest class with it
	var next []int32                   // class -> older class with the same hash, or -1
	for i := range n {
		h := maphash.Bytes(seed, key(i))
		head, known := first[h]
		if !known {
			head = -1
		}
		class := head
		for class >= 0 && !same(i, int(unique[class])) {
			class = next[class]
		}
		if class < 0 {
			class = int32(len(unique))
			unique, count, next = append(unique, int32(i)), append(count, 0), append(next, head)
			first[h] = class
		}
		of[i] = class
		count[class]++
	}
	return unique, of, count
}

func equal[T vec.Float](a, b []T) bool {
	for k, v := range a {
		if v != b[k] {
			return false
		}
	}
	return true
}
