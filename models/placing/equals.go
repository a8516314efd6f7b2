package placing

import (
	"math"
	"math/bits"
	"slices"

	"unfold/internal/vec"
)

// equals finds the reference point that equals an event. An approximate search can miss it, and the
// event would then not get that point's place.
type equals struct {
	slots []int32 // by hash: row+1, or 0 if empty
	shift int
}

// newEquals returns the table of the rows of x.
func newEquals(x vec.Matrix[float32]) *equals {
	log := bits.Len(uint(2 * x.Rows))
	e := &equals{slots: make([]int32, 1<<log), shift: 64 - log}
	for i := range x.Rows {
		at := e.hash(x.Row(i))
		for e.slots[at] != 0 {
			at = (at + 1) % len(e.slots)
		}
		e.slots[at] = int32(i) + 1
	}
	return e
}

// hash returns the first slot of a row. 0 and -0 have the same. Four columns at a time have states of
// their own, since a multiplication takes longer to finish than to start. States begin differently and
// not at 0, which zeros would not change.
func (e *equals) hash(row []float32) int {
	state := [4]uint64{1, 2, 3, 4}
	for ; len(row) >= len(state); row = row[len(state):] {
		four := (*[len(state)]float32)(row)
		for c, v := range four {
			state[c] = mix(state[c], v)
		}
	}
	for c, v := range row {
		state[c] = mix(state[c], v)
	}
	h := state[0]
	for _, s := range state[1:] {
		h = (h ^ h>>29 ^ s) * odd
	}
	return int((h ^ h>>29) * odd >> e.shift)
}

// odd is a multiplier that spreads bits to higher ones.
const odd = 0x9e3779b97f4a7c15

func mix(h uint64, v float32) uint64 {
	h = (h ^ uint64(math.Float32bits(v+0))) * odd
	return h ^ h>>29
}

// first moves the row of x that equals z to the front of its neighbours, if there is one that is
// not there yet.
func (e *equals) first(x vec.Matrix[float32], z []float32, index []int32, dist2 []float64) {
	if e == nil || dist2[0] == 0 {
		return
	}
	for at := e.hash(z); e.slots[at] != 0; at = (at + 1) % len(e.slots) {
		if row := e.slots[at] - 1; slices.Equal(z, x.Row(int(row))) {
			copy(index[1:], index)
			copy(dist2[1:], dist2)
			index[0], dist2[0] = row, 0
			return
		}
	}
}
