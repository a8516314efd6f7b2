package live

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
)

// equals finds the slot of a row that equals another element by element; -0 equals 0. The result
// does not depend on the hash seed.
type equals struct {
	seed  maphash.Seed
	slots map[uint64][]int32
	key   []byte
}

func newEquals() *equals {
	return &equals{seed: maphash.MakeSeed(), slots: map[uint64][]int32{}}
}

func (e *equals) hash(row []float32) uint64 {
	e.key = e.key[:0]
	for _, v := range row {
		// Adding 0 turns -0 into 0 and leaves other values unchanged.
		e.key = binary.LittleEndian.AppendUint32(e.key, math.Float32bits(v+0))
	}
	return maphash.Bytes(e.seed, e.key)
}

// find returns the slot of an equal row, or -1.
func (e *equals) find(row []float32, of func(slot int32) []float32) int32 {
	for _, s := range e.slots[e.hash(row)] {
		if slices.Equal(row, of(s)) {
			return s
		}
	}
	return -1
}

func (e *equals) add(row []float32, slot int32) {
	h := e.hash(row)
	e.slots[h] = append(e.slots[h], slot)
}

func (e *equals) remove(row []float32, slot int32) {
	h := e.hash(row)
	left := slices.DeleteFunc(e.slots[h], func(s int32) bool { return s == slot })
	if len(left) == 0 {
		delete(e.slots, h)
		return
	}
	e.slots[h] = left
}
