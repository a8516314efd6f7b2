//go:build arm64 && !noasm

package pairwise

import "unfold/internal/simd"

// lanes is the number of sources that the kernels of blocks process at once. Those of the plane
// process two, or four in single precision.
const lanes = 8

// whole returns how many of n sources a kernel processes that handles at (a power of two) at a
// time.
func whole(l simd.Level, n, at int) int {
	if l != simd.NEON {
		return 0
	}
	return n &^ (at - 1)
}

func pushAt(l simd.Level, t *spot64, r *run64) (f Force) {
	r.check()
	n := whole(l, len(r.W), 2)
	if n > 0 {
		pushNEON(t, r, n, &f)
	}
	last := r.Cut(n, len(r.W))
	f.Add(push(t, &last))
	return f
}

func pushFarAt(l simd.Level, t *spot64, r *run64) (f Force) {
	r.check()
	n := whole(l, len(r.W), 2)
	if n > 0 {
		pushFarNEON(t, r, n, &f)
	}
	last := r.Cut(n, len(r.W))
	f.Add(pushFar(t, &last))
	return f
}

func push32At(l simd.Level, t *spot32, r *run32) (f Force) {
	r.check()
	n := whole(l, len(r.W), 4)
	if n > 0 {
		push32NEON(t, r, n, &f)
	}
	last := r.Cut(n, len(r.W))
	f.Add(push(t, &last))
	return f
}

func pushFar32At(l simd.Level, t *spot32, r *run32) (f Force) {
	r.check()
	n := whole(l, len(r.W), 4)
	if n > 0 {
		pushFar32NEON(t, r, n, &f)
	}
	last := r.Cut(n, len(r.W))
	f.Add(pushFar(t, &last))
	return f
}

// logsAt is plain at every level; noinline as in the build without assembly.
//
//go:noinline
func logsAt(_ simd.Level, t *spot64, r *run64) float64 {
	r.check()
	return logs(t, r)
}

func narrowAt(l simd.Level, dst []float32, src []float64, centre float64) {
	_ = dst[:len(src)]
	n := whole(l, len(src), lanes)
	if n > 0 {
		narrowNEON(&dst[0], &src[0], n, centre)
	}
	narrow(dst, src, centre, n)
}

func distancesAt(l simd.Level, r2, mu []float64, columns [][]float64) {
	checkColumns(columns, len(mu), len(r2))
	n := whole(l, len(r2), lanes)
	if len(mu) == 0 {
		n = 0
	}
	if n > 0 {
		distancesNEON(&r2[0], n, &mu[0], &columns[0], len(mu))
	}
	distances(r2, mu, columns, n)
}

func repulsionsAt(l simd.Level, b *Block) {
	n := len(b.V)
	_, _, _, _ = b.R2[:n], b.S[:n], b.Inv[:n], b.W[:n]
	n = whole(l, n, 2)
	if n > 0 {
		repulsionsNEON(b, n)
	}
	repulsions(b, n)
}

func gatherAt(l simd.Level, sum, v []float64, columns [][]float64) {
	d := len(columns)
	checkColumns(columns, d, len(v))
	_ = sum[:d+1]
	n := whole(l, len(v), lanes)
	if d == 0 {
		n = 0
	}
	if n > 0 {
		gatherNEON(&sum[0], &v[0], n, &columns[0], d)
	}
	gather(sum, v, columns, n)
}
