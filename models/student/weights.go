package student

import (
	"cmp"
	"slices"

	"unfold/internal/par"
)

// pairWeight is the weight of a pair of points: S_ij + S_ji of its near edges, and the number of
// its further edges.
type pairWeight struct {
	near    float64
	further uint8
}

func (w pairWeight) compare(v pairWeight) int {
	return cmp.Or(cmp.Compare(w.near, v.near), cmp.Compare(w.further, v.further))
}

// shortKinds is the number of different weights that a byte can number.
const shortKinds = 256

// NumberBytes returns the bytes of an entry's weight number, in a problem with edges to k
// neighbours. It is 1 if there are few enough combinations of ranks and further edges, else 4.
// Labels may increase the number of weights beyond that.
func NumberBytes(k int) int {
	if k*(k+1)/2+2*k+2 <= shortKinds {
		return 1
	}
	return 4
}

// pairWeights are the weights of the entries of a pattern, in its order. Weights depend on ranks
// and so have few different values. An entry stores only the number of its weight, in short or in
// long.
type pairWeights struct {
	short []uint8
	long  []uint32
	kinds []pairWeight // by number, ascending
	now   []float64    // present weights, by number
}

// number returns the number of entry q's weight.
func (w *pairWeights) number(q int) int {
	if w.short != nil {
		return int(w.short[q])
	}
	return int(w.long[q])
}

// at returns the present weight of entry q, near the weight of its near edges only.
func (w *pairWeights) at(q int) float64   { return w.now[w.number(q)] }
func (w *pairWeights) near(q int) float64 { return w.kinds[w.number(q)].near }

// weigh sets the weight of every further edge to s.
func (w *pairWeights) weigh(s float64) {
	for k, v := range w.kinds {
		w.now[k] = v.near
		if v.further > 0 {
			w.now[k] += s * float64(v.further)
		}
	}
}

func (w *pairWeights) bytes() int64 {
	return int64(len(w.short)) + 4*int64(len(w.long)) + 24*int64(len(w.kinds))
}

// numbering assigns the numbers of weights. Each piece of entries is first numbered by itself, in
// the order in which its weights appear.
type numbering struct {
	long   []uint32 // of all entries
	pieces []numbered
}

// numbered is a piece of a numbering, which one goroutine computes: the numbers of its entries and
// the weights that they stand for.
type numbered struct {
	numbers []uint32
	first   int // first entry of the piece
	kinds   []pairWeight
	known   map[pairWeight]uint32
}

func newNumbering(entries, pieces int) *numbering {
	return &numbering{long: make([]uint32, entries), pieces: make([]numbered, pieces)}
}

// piece returns the t-th piece, with the entries from..to.
func (n *numbering) piece(t, from, to int) *numbered {
	p := &n.pieces[t]
	*p = numbered{numbers: n.long[from:to], first: from, known: make(map[pairWeight]uint32)}
	return p
}

// set sets the weight of entry q.
func (p *numbered) set(q int, w pairWeight) {
	number, is := p.known[w]
	if !is {
		number = uint32(len(p.kinds))
		p.known[w] = number
		p.kinds = append(p.kinds, w)
	}
	p.numbers[q-p.first] = number
}

// weights returns the weights of all pieces, without a weight for further edges yet. It takes over
// the memory of the numbering.
func (n *numbering) weights(threads int) pairWeights {
	var all []pairWeight
	for t := range n.pieces {
		all = append(all, n.pieces[t].kinds...)
		n.pieces[t].known = nil // frees memory
	}
	slices.SortFunc(all, pairWeight.compare)
	all = slices.Clone(slices.Compact(all))
	w := pairWeights{kinds: all, now: make([]float64, len(all))}
	if len(all) <= shortKinds {
		w.short = make([]uint8, len(n.long))
	} else {
		w.long = n.long
	}
	par.Do(threads, len(n.pieces), func(t int) {
		p := &n.pieces[t]
		final := make([]uint32, len(p.kinds))
		for k, v := range p.kinds {
			at, _ := slices.BinarySearchFunc(all, v, pairWeight.compare)
			final[k] = uint32(at)
		}
		for q, k := range p.numbers {
			if w.short != nil {
				w.short[p.first+q] = uint8(final[k])
			} else {
				p.numbers[q] = final[k]
			}
		}
	})
	w.weigh(0)
	return w
}
