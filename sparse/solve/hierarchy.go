package solve

import (
	"slices"

	"unfold/sparse"
	"unfold/sparse/par"
	"unfold/sparse/vec"
)

const (
	// coarsest is the number of points up to which a level is factorised.
	coarsest = 120
	// shrink is the least ratio of points that makes another level worth while.
	shrink = 0.8
	// damping is omega of the smoother x + omega (b - A x) / D. Below 1, its
	// iteration converges for every diagonally dominant matrix.
	damping = 2. / 3
	// share is the number of points up to which one lane does all the work of a
	// level: below, waiting for others takes longer.
	share = 2048
	// rounding is the part of a diagonal entry below which Gamma is put down to
	// rounding: a component without Gamma makes the matrix singular.
	rounding = 1e-14
)

// Hierarchy is a multigrid preconditioner by plain aggregation: the coarse
// unknowns are the means of groups of points. The coarse matrix P'(Lap(W) +
// Gamma)P, P_ia = 1 where point i is in group a, is again a Laplacian and a
// diagonal, so all levels are alike. See the package essay.
type Hierarchy struct {
	d      int
	team   *team
	levels []level
	bottom *bottom
}

// level is one level. Of the finest, only what the next one is made of is used.
type level struct {
	a       *Laplacian
	gamma   []float64
	size    []float64 // points of the finest level in every group; nil is 1 each
	inverse []float64 // damping / diagonal; on the finest level 1 / diagonal

	of      []int32 // aggregate of every point
	first   []int32 // members of aggregate c: members[first[c]:first[c+1]]
	members []int32

	b, x, y vec.Matrix[float64] // right-hand side, solution, next solution
	again   vec.Matrix[float64] // what the first of two visits found
}

// NewHierarchy returns a hierarchy for a, to be applied to vectors of d columns on
// threads goroutines (0 means GOMAXPROCS).
func NewHierarchy(a *Laplacian, d, threads int) *Hierarchy {
	return newHierarchy(a, d, newTeam(threads, a.W.N))
}

func newHierarchy(a *Laplacian, d int, tm *team) *Hierarchy {
	h := &Hierarchy{d: d, team: tm}
	h.levels = append(h.levels, level{a: a, gamma: make([]float64, a.W.N), inverse: make([]float64, a.W.N)})
	h.refine(0)
	for len(h.levels) < 20 {
		l := &h.levels[len(h.levels)-1]
		if l.a.W.N <= coarsest {
			break
		}
		of, count := aggregate(l.a.W, l.gamma, l.a.Diagonal)
		if float64(count) > shrink*float64(l.a.W.N) || count == 0 {
			break
		}
		l.of = of
		l.first, l.members = group(of, count)
		next := level{gamma: make([]float64, count), size: make([]float64, count), inverse: make([]float64, count)}
		next.a = &Laplacian{W: l.pattern(count, tm.lanes), Diagonal: make([]float64, count)}
		for _, m := range []*vec.Matrix[float64]{&next.b, &next.x, &next.y, &next.again} {
			*m = vec.New[float64](count, d)
		}
		h.levels = append(h.levels, next)
		h.refine(len(h.levels) - 1)
	}
	if len(h.levels) > 1 {
		h.bottom = newBottom(&h.levels[len(h.levels)-1])
	}
	return h
}

// refine computes the values of a level from those of the one above.
func (h *Hierarchy) refine(k int) {
	l, threads := &h.levels[k], h.team.lanes
	if k > 0 {
		h.levels[k-1].galerkin(l, threads)
	}
	par.Ranges(threads, l.a.W.N, piece, func(_, from, to int) {
		for i := from; i < to; i++ {
			if k == 0 {
				_, w := l.a.W.Row(i)
				l.gamma[i] = excess(l.a.Diagonal[i], w)
				l.inverse[i] = inverse(l.a.Diagonal[i])
				continue
			}
			l.inverse[i] = damping * inverse(l.a.Diagonal[i])
		}
	})
}

// inverse returns 1/g, or 0 for a point without weights and Gamma.
func inverse(g float64) float64 {
	if g > 0 {
		return 1 / g
	}
	return 0
}

// excess returns Gamma_i, what the diagonal has more than the weights.
func excess(diagonal float64, w []float64) float64 {
	var sum float64
	for _, v := range w {
		sum += v
	}
	if g := diagonal - sum; g > rounding*diagonal {
		return g
	}
	return 0
}

// group lists the members of every group.
func group(of []int32, count int) (first, members []int32) {
	first = make([]int32, count+1)
	for _, o := range of {
		if o >= 0 {
			first[o+1]++
		}
	}
	for c := range count {
		first[c+1] += first[c]
	}
	members = make([]int32, first[count])
	next := slices.Clone(first[:count])
	for i, o := range of {
		if o >= 0 {
			members[next[o]] = int32(i)
			next[o]++
		}
	}
	return first, members
}

// rowPiece is the number of coarse rows of one task.
const rowPiece = 512

// pattern returns the coarse weights, all zero: groups are joined if points of
// theirs are.
func (l *level) pattern(count, threads int) *sparse.CSR {
	pieces := par.Pieces(count, rowPiece)
	rows := make([][]int32, pieces)
	size := make([]int, count)
	par.Ranges(threads, count, rowPiece, func(t, from, to int) {
		seen := make([]int32, count) // 1 + the row a column was last met in
		for c := from; c < to; c++ {
			at := len(rows[t])
			for _, i := range l.members[l.first[c]:l.first[c+1]] {
				index, _ := l.a.W.Row(int(i))
				for _, j := range index {
					if o := l.of[j]; o >= 0 && int(o) != c && seen[o] != int32(c+1) {
						seen[o] = int32(c + 1)
						rows[t] = append(rows[t], o)
					}
				}
			}
			slices.Sort(rows[t][at:])
			size[c] = len(rows[t]) - at
		}
	})
	w := &sparse.CSR{N: count, M: count, Start: make([]int, count+1)}
	for c, s := range size {
		w.Start[c+1] = w.Start[c] + s
	}
	w.Index = slices.Concat(rows...)
	w.Data = make([]float64, len(w.Index))
	return w
}

// galerkin fills the weights, Gamma and diagonal of the next level. A weight to a
// point that is in no group counts as Gamma: for the groups that point is 0.
func (l *level) galerkin(next *level, threads int) {
	w := next.a.W
	par.Ranges(threads, w.N, rowPiece, func(_, from, to int) {
		place := make([]int, w.N)
		for c := from; c < to; c++ {
			index, data := w.Row(c)
			clear(data)
			for p, o := range index {
				place[o] = p
			}
			var gamma, size float64
			for _, i := range l.members[l.first[c]:l.first[c+1]] {
				gamma += l.gamma[i]
				if l.size == nil {
					size++
				} else {
					size += l.size[i]
				}
				index, v := l.a.W.Row(int(i))
				for p, j := range index {
					switch o := l.of[j]; {
					case o < 0:
						gamma += v[p]
					case int(o) != c:
						data[place[o]] += v[p]
					}
				}
			}
			next.gamma[c], next.size[c] = gamma, size
			for _, v := range data {
				gamma += v
			}
			next.a.Diagonal[c] = gamma
		}
	})
}

// Bytes returns the memory of the coarse levels.
func (h *Hierarchy) Bytes() int64 {
	var b int64
	if h.bottom != nil {
		b = h.bottom.bytes()
	}
	for k := range h.levels {
		l := &h.levels[k]
		b += 8*int64(len(l.gamma)+len(l.size)+len(l.inverse)) + 4*int64(len(l.of)+len(l.first)+len(l.members))
		b += 8 * int64(len(l.b.Data)+len(l.x.Data)+len(l.y.Data)+len(l.again.Data))
		if k > 0 {
			b += l.a.W.Bytes() + 8*int64(len(l.a.Diagonal))
		}
	}
	return b
}
