//go:build amd64 && !noasm

package pairwise

import "unfold/internal/simd"

func pushAt(l simd.Level, t *spot64, r *run64) (f Force) {
	r.check()
	if l < simd.AVX2 {
		return push(t, r)
	}
	whole := len(r.W) &^ 3
	pushAVX2(t, r, whole, &f)
	last := r.Cut(whole, len(r.W))
	f.Add(push(t, &last))
	return f
}

func pushFarAt(l simd.Level, t *spot64, r *run64) (f Force) {
	r.check()
	if l < simd.AVX2 {
		return pushFar(t, r)
	}
	whole := len(r.W) &^ 3
	pushFarAVX2(t, r, whole, &f)
	last := r.Cut(whole, len(r.W))
	f.Add(pushFar(t, &last))
	return f
}

func logsAt(l simd.Level, t *spot64, r *run64) float64 {
	r.check()
	if l < simd.AVX2 {
		return logs(t, r)
	}
	whole := len(r.W) &^ 3
	last := r.Cut(whole, len(r.W))
	return logsAVX2(t, r, whole) + logs(t, &last)
}

func push32At(l simd.Level, t *spot32, r *run32) (f Force) {
	r.check()
	if l < simd.AVX2 {
		return push(t, r)
	}
	whole := len(r.W) &^ 7
	push32AVX2(t, r, whole, &f)
	last := r.Cut(whole, len(r.W))
	f.Add(push(t, &last))
	return f
}

func pushFar32At(l simd.Level, t *spot32, r *run32) (f Force) {
	r.check()
	if l < simd.AVX2 {
		return pushFar(t, r)
	}
	whole := len(r.W) &^ 7
	pushFar32AVX2(t, r, whole, &f)
	last := r.Cut(whole, len(r.W))
	f.Add(pushFar(t, &last))
	return f
}

func pushSpace32At(l simd.Level, t *spaceSpot32, r *spaceRun32) (f SpaceForce) {
	r.check()
	switch n := len(r.W); l {
	case simd.AVX512:
		pushSpace32AVX512(t, r, n, &f)
		return f
	case simd.AVX2:
		whole := n &^ 7
		pushSpace32AVX2(t, r, whole, &f)
		last := r.Cut(whole, n)
		f.Add(pushSpace(t, &last))
		return f
	}
	return pushSpace(t, r)
}

func logsSpaceAt(l simd.Level, t *spaceSpot64, r *spaceRun64) float64 {
	r.check()
	switch n := len(r.W); l {
	case simd.AVX512:
		return logsSpaceAVX512(t, r, n)
	case simd.AVX2:
		whole := n &^ 3
		last := r.Cut(whole, n)
		return logsSpaceAVX2(t, r, whole) + logsSpace(t, &last)
	}
	return logsSpace(t, r)
}

func narrowAt(l simd.Level, dst []float32, src []float64, centre float64) {
	_ = dst[:len(src)]
	whole := len(src) &^ 3
	if l < simd.AVX2 {
		whole = 0
	}
	if whole > 0 {
		narrowAVX2(&dst[0], &src[0], whole, centre)
	}
	narrow(dst, src, centre, whole)
}

func distancesAt(l simd.Level, r2, mu []float64, columns [][]float64) {
	checkColumns(columns, len(mu), len(r2))
	whole := len(r2) &^ 3
	if len(mu) == 0 || l < simd.AVX2 {
		whole = 0
	}
	if whole > 0 {
		distancesAVX2(&r2[0], whole, &mu[0], &columns[0], len(mu))
	}
	distances(r2, mu, columns, whole)
}

func repulsionsAt(l simd.Level, b *Block) {
	n := len(b.V)
	_, _, _, _ = b.R2[:n], b.S[:n], b.Inv[:n], b.W[:n]
	whole := n &^ 3
	if l < simd.AVX2 {
		whole = 0
	}
	if whole > 0 {
		repulsionsAVX2(b, whole)
	}
	repulsions(b, whole)
}

func gatherAt(l simd.Level, sum, v []float64, columns [][]float64) {
	d := len(columns)
	checkColumns(columns, d, len(v))
	_ = sum[:d+1]
	whole := len(v) &^ 3
	if d == 0 || l < simd.AVX2 {
		whole = 0
	}
	if whole > 0 {
		gatherAVX2(&sum[0], &v[0], whole, &columns[0], d)
	}
	gather(sum, v, columns, whole)
}
