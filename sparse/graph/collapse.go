package graph

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"unfold/internal/vec"
)

// Collapse finds rows of x that are equal element by element, where -0 equals
// 0. unique lists the first row of each class, ascending; of[i] is the class
// of row i, an index into unique; count[c] is the size of class c.
//
// Rows with a NaN are equal to no row, not even to a copy of themselves.
func Collapse[T vec.Float](x vec.Matrix[T]) (unique []int32, of []int32, count []uint32) {
	of = make([]int32, x.Rows)
	// The seed differs between runs, so that nobody can make rows collide;
	// the result does not depend on it.
	seed := maphash.MakeSeed()
	first := make(map[uint64]int32, x.Rows) // hash -> newest class with it
	var next []int32                        // class -> older class with the same hash, or -1
	key := make([]byte, 8*x.Cols)
	for i := range x.Rows {
		row := x.Row(i)
		for k, v := range row {
			// Adding 0 turns -0 into 0 and changes nothing else.
			binary.LittleEndian.PutUint64(key[8*k:], math.Float64bits(float64(v+0)))
		}
		h := maphash.Bytes(seed, key)
		head, known := first[h]
		if !known {
			head = -1
		}
		class := head
		for class >= 0 && !equal(row, x.Row(int(unique[class]))) {
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
