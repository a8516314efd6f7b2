package reference

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

// Events that keep a set full and changing need no more memory than Bytes returns, and not much
// less.
func TestMemory(t *testing.T) {
	const dim, note, size, idBytes = 20, 2, 5000, 24
	for p := range Policy(len(policies)) {
		for _, ids := range []bool{false, true} {
			s := Settings{Policy: p, Size: size, IDs: ids}
			before := heapBytes()
			set := newSet(t, s, dim, note)
			rng := rand.New(rand.NewPCG(3, 4))
			x := make([]float32, dim)
			for n := range 6 * size {
				x[0] = float32(rng.IntN(4 * size)) // duplicates, too
				set.Add(x, fmt.Sprintf("event-%018d", n), int64(n))
			}
			used, bound := heapBytes()-before, s.Bytes(dim, note, idBytes)
			t.Logf("%v, ids %v: %d of %d bytes", p, ids, used, bound)
			if used > bound || used < bound/5 {
				t.Errorf("%v, ids %v: %d points take %d bytes, the bound is %d", p, ids, set.Len(), used, bound)
			}
			runtime.KeepAlive(set)
		}
	}
}

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
