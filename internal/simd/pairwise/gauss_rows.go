package pairwise

import "unfold/internal/simd"

// pushRow is Push at a level.
func (g *Gauss) pushRow(u int, skip []int32, l simd.Level) {
	_ = g.points.Sum[:len(g.points.Mu)]
	whole := g.whole(l)
	for from, n := g.first(u); n > 0; from, n = g.next(from) {
		if whole {
			skip = g.mark(skip, from, n)
			g.pushKept(u, from, n)
			continue
		}
		g.weightsAt(l, u, from, n)
		skip = g.leave(skip, from, n, 0)
		g.pushAt(l, u, from, n)
	}
}

// spreadRow is Spread at a level.
func (g *Gauss) spreadRow(u int, skip []int32, l simd.Level) {
	_ = g.points.Sum[0]
	whole := g.whole(l)
	for from, n := g.first(u); n > 0; from, n = g.next(from) {
		if whole {
			skip = g.mark(skip, from, n)
			g.spreadKept(u, from, n)
			continue
		}
		g.excessAt(l, u, from, n)
		skip = g.leave(skip, from, n, 0)
		g.spreadAt(l, u, from, n)
	}
}

// logRow is LogOther at a level.
func (g *Gauss) logRow(u int, skip []int32, l simd.Level) (total float64) {
	for from, n := g.first(u); n > 0; from, n = g.next(from) {
		g.othersAt(l, u, from, n)
		skip = g.leave(skip, from, n, 1)
		total += g.logs(u, from, n)
	}
	return total
}

// first returns the start and the length of the first run of partners of u.
func (g *Gauss) first(u int) (from, n int) {
	_ = g.points.W[u]
	return u + 1, min(gaussWidth, len(g.points.W)-u-1)
}

// next returns the run after a whole one from from.
func (g *Gauss) next(from int) (int, int) {
	from += gaussWidth
	return from, min(gaussWidth, len(g.points.W)-from)
}
