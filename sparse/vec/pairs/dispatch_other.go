//go:build !amd64 || noasm

package pairs

import "unfold/sparse/vec/simd"

func pushAt(_ simd.Level, t *spot64, r *run64) Force      { return push(t, r) }
func pushFarAt(_ simd.Level, t *spot64, r *run64) Force   { return pushFar(t, r) }
func push32At(_ simd.Level, t *spot32, r *run32) Force    { return push(t, r) }
func pushFar32At(_ simd.Level, t *spot32, r *run32) Force { return pushFar(t, r) }

func narrowAt(_ simd.Level, dst []float32, src []float64, centre float64) {
	narrow(dst, src, centre, 0)
}
func distancesAt(_ simd.Level, r2, mu []float64, columns [][]float64) { distances(r2, mu, columns, 0) }
func repulsionsAt(_ simd.Level, b *Block)                             { repulsions(b, 0) }
func gatherAt(_ simd.Level, sum, v []float64, columns [][]float64)    { gather(sum, v, columns, 0) }
