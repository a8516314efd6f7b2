//go:build !(amd64 || arm64) || noasm

package pairwise

import "unfold/internal/simd"

// noinline is needed because the plain versions are generic: if a call is inlined into another
// package, the compiler assumes that its arguments escape.

//go:noinline
func pushAt(_ simd.Level, t *spot64, r *run64) Force {
	r.check()
	return push(t, r)
}

//go:noinline
func pushFarAt(_ simd.Level, t *spot64, r *run64) Force {
	r.check()
	return pushFar(t, r)
}

//go:noinline
func logsAt(_ simd.Level, t *spot64, r *run64) float64 {
	r.check()
	return logs(t, r)
}

//go:noinline
func push32At(_ simd.Level, t *spot32, r *run32) Force {
	r.check()
	return push(t, r)
}

//go:noinline
func pushFar32At(_ simd.Level, t *spot32, r *run32) Force {
	r.check()
	return pushFar(t, r)
}

func narrowAt(_ simd.Level, dst []float32, src []float64, centre float64) {
	narrow(dst, src, centre, 0)
}
func distancesAt(_ simd.Level, r2, mu []float64, columns [][]float64) { distances(r2, mu, columns, 0) }
func repulsionsAt(_ simd.Level, b *Block)                             { repulsions(b, 0) }
func gatherAt(_ simd.Level, sum, v []float64, columns [][]float64)    { gather(sum, v, columns, 0) }
