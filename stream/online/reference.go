package online

import (
	"math/rand/v2"

	"unfold/sparse/vec"
)

// reference is the bounded set of encoded events that the map is learnt from.
type reference struct {
	policy Policy
	size   int
	seed   uint64

	dim  int
	data []float32
	// seen counts the events that were ever added.
	seen uint64
}

func newReference(policy Policy, size, dim int, seed uint64) *reference {
	return &reference{policy: policy, size: size, seed: seed, dim: dim}
}

// len returns the number of events in the set.
func (r *reference) len() int { return len(r.data) / r.dim }

// add adds the rows of x. Event number n (from 0) of a full reservoir takes the
// place of a random member with probability size/(n+1) (Vitter 1985, algorithm
// R). The random number is a function of (seed, n), so that the set depends on
// the events alone, also across restarts.
func (r *reference) add(x vec.Matrix[float32]) {
	for i := range x.Rows {
		n := r.seen
		r.seen++
		if r.len() < r.size {
			r.data = append(r.data, x.Row(i)...)
			continue
		}
		slot := n % uint64(r.size)
		if r.policy == Reservoir {
			slot = rand.New(rand.NewPCG(r.seed, n)).Uint64N(n + 1)
		}
		if slot < uint64(r.size) {
			copy(r.data[int(slot)*r.dim:(int(slot)+1)*r.dim], x.Row(i))
		}
	}
}

// matrix returns a copy of the set: for a window from the oldest to the newest
// event.
func (r *reference) matrix() vec.Matrix[float32] {
	out := vec.Matrix[float32]{Rows: r.len(), Cols: r.dim, Data: make([]float32, 0, len(r.data))}
	oldest := 0
	if r.policy == Window && r.len() == r.size {
		oldest = int(r.seen%uint64(r.size)) * r.dim
	}
	out.Data = append(append(out.Data, r.data[oldest:]...), r.data[:oldest]...)
	return out
}

// restore fills an empty set with the rows of a saved one, of which seen events
// had been counted.
func (r *reference) restore(x vec.Matrix[float32], seen uint64) {
	if x.Rows > r.size && r.policy == Window {
		x = x.Slice(x.Rows-r.size, x.Rows)
	}
	r.add(x)
	if r.policy == Reservoir {
		r.seen = max(r.seen, seen)
		return
	}
	// A window's counter only says which slot is the oldest: slot 0, as the rows
	// come from the oldest on.
	r.seen = uint64(r.len())
}
