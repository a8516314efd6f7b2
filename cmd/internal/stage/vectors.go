package stage

import (
	"hash/maphash"
	"slices"
	"sync"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// vectorBytes bounds the memory of the vectors that the page can be asked about.
const vectorBytes = 64 << 20

// vectors holds those of the newest events that have ids, as many as fit. Ids are known by
// hashes of 64 bits. It is safe for concurrent use.
type vectors struct {
	most, bytes int
	seed        maphash.Seed

	mu sync.Mutex
	// x has rows of dim values, the oldest of which is at next once there is no more room;
	// key is the hash of each one's id, and row leads there from the hash.
	dim  int
	x    []float32
	key  []uint64
	row  map[uint64]int32
	next int
}

// newVectors makes room for so many vectors, or for those that fit into so many bytes.
func newVectors(most, bytes int) *vectors {
	return &vectors{most: most, bytes: bytes, seed: maphash.MakeSeed(), row: map[uint64]int32{}}
}

// put takes the vectors x of events.
func (v *vectors) put(ids table.Column, x vec.Matrix[float32]) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dim != x.Cols {
		v.dim, v.x, v.key, v.next = x.Cols, nil, nil, 0
		clear(v.row)
	}
	room := min(v.most, v.bytes/(4*max(v.dim, 1)))
	if room == 0 {
		return
	}
	for i := range x.Rows {
		if ids.IsNull(i) {
			continue
		}
		key := maphash.String(v.seed, ids.Text(i))
		if at, there := v.row[key]; there {
			copy(v.x[int(at)*v.dim:], x.Row(i))
			continue
		}
		if len(v.key) < room {
			v.x, v.key = append(v.x, x.Row(i)...), append(v.key, key)
			v.row[key] = int32(len(v.key) - 1)
			continue
		}
		v.forget(v.key[v.next], int32(v.next))
		copy(v.x[v.next*v.dim:], x.Row(i))
		v.key[v.next], v.row[key] = key, int32(v.next)
		v.next = (v.next + 1) % room
	}
}

// forget lets go of a row that is still its id's. The lock is held.
func (v *vectors) forget(key uint64, at int32) {
	if v.row[key] == at {
		delete(v.row, key)
	}
}

// remove forgets the vector of an id.
func (v *vectors) remove(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := maphash.String(v.seed, id)
	if at, there := v.row[key]; there {
		clear(v.x[int(at)*v.dim : (int(at)+1)*v.dim])
		v.forget(key, at)
	}
}

// get returns a copy of the vector of an id.
func (v *vectors) get(id string) ([]float32, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	at, there := v.row[maphash.String(v.seed, id)]
	if !there {
		return nil, false
	}
	return slices.Clone(v.x[int(at)*v.dim : (int(at)+1)*v.dim]), true
}
