package gplvm

import (
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/classic/kernel"
)

// If K is noise plus a smooth covariance of places in few dimensions, its smooth part has a low
// rank m to all digits. The inverse then takes N m^2 + N^2 m operations instead of N^3.
const (
	// lowRankPoints is the least number of points for which low rank is tried. The largest rank
	// that pays is 1/lowRankShare of the points.
	lowRankPoints = 256
	lowRankShare  = 3
	// lowRankError bounds the neglected part of K's diagonal relative to the noise. leastNoise is
	// the least noise relative to that diagonal; below it, rounding errors would matter.
	lowRankError = 1e-10
	leastNoise   = 1e-5
	// A step adds at most lowRankBlock of lowRankCandidates points, whose pivots are at least
	// worthPivot times the largest.
	lowRankBlock      = 24
	lowRankCandidates = 48
	worthPivot        = 0.02
	// patience is the number of evaluations before low rank is tried again after the rank was too
	// large. It doubles each time up to mostPatience.
	patience     = 8
	mostPatience = 1024
)

// lowRank is the approximation K = L L' + noise I with an N x m matrix L, from a pivoted partial
// Cholesky factorisation (H. Harbrecht, M. Peters and R. Schneider, Applied Numerical Mathematics
// 62, 2012), With the factor R of noise I + L'L and V = L R'^-1,
//
//	K^-1 = (I - V V') / noise,   |K| = noise^(N-m) |R|^2.
type lowRank struct {
	n, room, rank int
	noise         float64
	l             []float64 // n x room, with rank columns in use: L, then V
	left          []float64 // remaining diagonal: K - noise I - L L'
	r             vec.Matrix[float64]
	inner         vec.Matrix[float64] // m x D: V'Y
	// Data of a step: the chosen points and their remaining columns.
	chosen []int32
	row    []float64 // a row of K for each of them
	lines  []float64 // their rows of L
	pivots vec.Matrix[float64]
	// wait counts down to the next attempt. from is its first value.
	wait, from int
}

// due reports whether the factorisation should be tried.
func (f *lowRank) due(k *kernel.Kernel, theta []float64, n int) bool {
	if n < lowRankPoints || !(k.Variance(theta) > 0) {
		return false
	}
	f.wait--
	return f.wait < 0
}

// factor computes L. It returns false if the rank is too large to pay, or the noise too small.
func (f *lowRank) factor(k *kernel.Kernel, theta []float64, x *kernel.Points, threads int) bool {
	f.begin(x.Len(), k.Variance(theta))
	largest := 0.0
	for i := range f.left {
		f.left[i] = k.Self(theta, x.Rows.Row(i)) - f.noise
		largest = max(largest, f.left[i])
	}
	ok := f.noise >= leastNoise*largest && !math.IsInf(largest, 0)
	for ok {
		most := slices.Max(f.left)
		if most <= lowRankError*f.noise {
			f.from = 0
			return true
		}
		if math.IsNaN(most) {
			break
		}
		f.choose(k, theta, x, most)
		if ok = len(f.chosen) > 0 && f.rank+len(f.chosen) <= f.room; ok {
			f.extend(k, theta, x, threads)
		}
	}
	f.from = min(max(patience, 2*f.from), mostPatience)
	f.wait = f.from
	return false
}

func (f *lowRank) begin(n int, noise float64) {
	if f.n != n {
		f.n, f.room = n, n/lowRankShare
		f.l, f.left = make([]float64, n*f.room), make([]float64, n)
		f.row, f.lines = make([]float64, lowRankBlock*n), make([]float64, lowRankCandidates*f.room)
		f.pivots = vec.New[float64](lowRankCandidates, lowRankCandidates)
	}
	f.rank, f.noise = 0, noise
}

// choose selects the points of a step. Candidates are the point with the largest remaining diagonal
// and others spread over the remainder. Of these it takes the largest pivots greedily.
func (f *lowRank) choose(k *kernel.Kernel, theta []float64, x *kernel.Points, most float64) {
	sum := 0.0
	for _, v := range f.left {
		sum += v
	}
	picked := f.chosen[:0]
	picked = append(picked, int32(slices.Index(f.left, most)))
	step, seen := sum/(lowRankCandidates-1), 0.0
	next := step / 2
	for i, v := range f.left {
		seen += v
		if seen > next && len(picked) < lowRankCandidates && int32(i) != picked[0] {
			picked = append(picked, int32(i))
		}
		for seen > next {
			next += step
		}
	}
	f.chosen = f.greedy(k, theta, x, picked, most)
}

// greedy orders the picked points by their pivots, each relative to the previous ones, and drops
// points with small pivots. The leading part of pivots is then the factor of the remainder of K
// among the kept points.
func (f *lowRank) greedy(k *kernel.Kernel, theta []float64, x *kernel.Points, picked []int32, most float64) []int32 {
	c := len(picked)
	among := kernel.NewPoints(vec.Take(x.Rows, picked))
	room := kernel.NewRoom(among)
	for p, i := range picked {
		copy(f.lines[p*f.rank:(p+1)*f.rank], f.l[int(i)*f.room:])
	}
	g := f.pivots
	for p := range c {
		k.CrossRow(g.Row(p)[:p+1], theta, among.Rows.Row(p), among, room)
	}
	if f.rank > 0 {
		b := gemm.Implementation{Threads: 1}
		b.Dsyrk(gonum.Lower, gonum.NoTrans, c, f.rank, -1, f.lines, f.rank, 1, g.Data, g.Cols)
	}
	for p := range c {
		for q := range p {
			g.Row(q)[p] = g.Row(p)[q]
		}
	}
	kept := 0
	for kept < min(c, lowRankBlock) {
		best := kept
		for p := kept; p < c; p++ {
			if g.Row(p)[p] > g.Row(best)[best] {
				best = p
			}
		}
		if !(g.Row(best)[best] >= max(worthPivot*most, lowRankError*f.noise)) {
			break
		}
		// Swap kept and best, and subtract its part from the later ones.
		picked[kept], picked[best] = picked[best], picked[kept]
		for q := range c {
			g.Row(kept)[q], g.Row(best)[q] = g.Row(best)[q], g.Row(kept)[q]
		}
		for p := range c {
			g.Row(p)[kept], g.Row(p)[best] = g.Row(p)[best], g.Row(p)[kept]
		}
		pivot := math.Sqrt(g.Row(kept)[kept])
		g.Row(kept)[kept] = pivot
		below := f.row[:c] // the column, as a row
		for p := kept + 1; p < c; p++ {
			g.Row(p)[kept] /= pivot
			below[p] = g.Row(p)[kept]
		}
		for p := kept + 1; p < c; p++ {
			vec.Axpy(-below[p], below[kept+1:], g.Row(p)[kept+1:c])
		}
		kept++
	}
	return picked[:kept]
}

// extend adds the columns of the chosen points: L_new = (K_new - L L_chosen') G'^-1, with G the
// factor of the pivots.
func (f *lowRank) extend(k *kernel.Kernel, theta []float64, x *kernel.Points, threads int) {
	b, m, g := len(f.chosen), f.rank, gemm.Implementation{Threads: threads}
	par.Do(threads, b, func(c int) {
		k.CrossRow(f.row[c*f.n:(c+1)*f.n], theta, x.Rows.Row(int(f.chosen[c])), x, kernel.NewRoom(x))
	})
	for c, i := range f.chosen {
		copy(f.lines[c*m:(c+1)*m], f.l[int(i)*f.room:])
	}
	par.Ranges(threads, f.n, 64, func(_, from, to int) {
		for c := range b {
			for i, v := range f.row[c*f.n:][from:to] {
				f.l[(from+i)*f.room+m+c] = v
			}
		}
	})
	if m > 0 {
		g.Dgemm(gonum.NoTrans, gonum.Trans, f.n, b, m, -1, f.l, f.room, f.lines, m, 1, f.l[m:], f.room)
	}
	g.Dtrsm(gonum.Right, gonum.Lower, gonum.Trans, gonum.NonUnit, f.n, b, 1, f.pivots.Data, f.pivots.Cols, f.l[m:], f.room)
	for i := range f.left {
		f.left[i] = max(0, f.left[i]-vec.SquaredNorm(f.l[i*f.room+m:][:b]))
	}
	for _, i := range f.chosen {
		f.left[i] = 0
	}
	f.rank += b
}

// solve replaces L by V and a (N x D), which contains Y, by K^-1 Y. It returns log |K| and tr(Y'
// K^-1 Y).
func (f *lowRank) solve(a vec.Matrix[float64], threads int) (logDet, square float64) {
	g, m, d := gemm.Implementation{Threads: threads}, f.rank, a.Cols
	if f.r.Rows != m {
		f.r = vec.New[float64](m, m)
	}
	if f.inner.Rows != m || f.inner.Cols != d {
		f.inner = vec.New[float64](m, d)
	}
	g.Dsyrk(gonum.Lower, gonum.Trans, m, f.n, 1, f.l, f.room, 0, f.r.Data, m)
	for i := range m {
		f.r.Row(i)[i] += f.noise
	}
	if spd.Factor(f.r, threads) != nil {
		return math.NaN(), 0 // only if values overflow
	}
	logDet = float64(f.n-m)*math.Log(f.noise) + spd.LogDet(f.r)
	g.Dtrsm(gonum.Right, gonum.Lower, gonum.Trans, gonum.NonUnit, f.n, m, 1, f.r.Data, m, f.l, f.room)
	g.Dgemm(gonum.Trans, gonum.NoTrans, m, d, f.n, 1, f.l, f.room, a.Data, d, 0, f.inner.Data, d)
	for i := range m {
		square -= vec.SquaredNorm(f.inner.Row(i))
	}
	square = (square + vec.SquaredNorm(a.Data)) / f.noise
	g.Dgemm(gonum.NoTrans, gonum.NoTrans, f.n, d, m, -1/f.noise, f.l, f.room, f.inner.Data, d, 1/f.noise, a.Data, d)
	return logDet, square
}

// derivative writes the lower triangle of 1/2 (a a' - D K^-1) to w (N x N), a = K^-1 Y.
func (f *lowRank) derivative(w, a vec.Matrix[float64], threads int) {
	g, d := gemm.Implementation{Threads: threads}, float64(a.Cols)
	g.Dsyrk(gonum.Lower, gonum.NoTrans, f.n, a.Cols, 0.5, a.Data, a.Cols, 0, w.Data, f.n)
	g.Dsyrk(gonum.Lower, gonum.NoTrans, f.n, f.rank, 0.5*d/f.noise, f.l, f.room, 1, w.Data, f.n)
	for i := range f.n {
		w.Row(i)[i] -= 0.5 * d / f.noise
	}
}
