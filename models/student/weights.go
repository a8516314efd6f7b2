package student

import (
	"cmp"
	"slices"

	"unfold/internal/par"
)

// pairWeight is what edges say of a pair of points: S_ij + S_ji of the near ones, and how many
// further ones there are.
type pairWeight struct {
	near    float64
	further uint8
}

func (w pairWeight) compare(v pairWeight) int {
	return cmp.Or(cmp.Compare(w.near, v.near), cmp.Compare(w.further, v.further))
}

// shortKinds is how many different weights the numbers of a byte tell apart.
const shortKinds = 256

// NumberBytes is what an entry's weight takes in a problem with edges to k neighbours: a byte
// where the pairs of ranks and further edges are few enough, else four. With labels there may be
// more weights than that.
func NumberBytes(k int) int {
	if k*(k+1)/2+2*k+2 <= shortKinds {
		return 1
	}
	return 4
}

// pairWeights are the weights of the entries of a pattern, in its order. They follow from ranks
// and so have few different values: an entry has the number of its own, in short or in long.
type pairWeights struct {
	short []uint8
	long  []uint32
	kinds []pairWeight // by number, ascending
	now   []float64    // what they weigh at present, by number
}

// number is that of entry q's weight.
func (w *pairWeights) number(q int) int {
	if w.short != nil {
		return int(w.short[q])
	}
	return int(w.long[q])
}

// at is what entry q weighs at present, and near what its near edges do.
func (w *pairWeights) at(q int) float64   { return w.now[w.number(q)] }
func (w *pairWeights) near(q int) float64 { return w.kinds[w.number(q)].near }

// weigh gives every further edge the weight s.
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

// numbering finds the numbers of weights. Pieces of entries are numbered by themselves, each
// in the order in which its weights come.
type numbering struct {
	long   []uint32 // of all entries
	pieces []numbered
}

// numbered is a piece of a numbering, which one goroutine makes: the numbers of its entries and
// the weights that these stand for.
type numbered struct {
	numbers []uint32
	first   int // entry
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

// set says what entry q weighs.
func (p *numbered) set(q int, w pairWeight) {
	number, is := p.known[w]
	if !is {
		number = uint32(len(p.kinds))
		p.known[w] = number
		p.kinds = append(p.kinds, w)
	}
	p.numbers[q-p.first] = number
}

// weights returns those of all pieces, further edges still without one. They take the memory of
// the numbering.
func (n *numbering) weights(threads int) pairWeights {
	var all []pairWeight
	for t := range n.pieces {
		all = append(all, n.pieces[t].kinds...)
		n.pieces[t].known = nil // makes room
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
