//go:build !amd64 || noasm

package pairs

import "unfold/sparse/vec/simd"

func pushAt(_ simd.Level, t *Spot, r *Run) Force                      { return push(t, r) }
func pushFarAt(_ simd.Level, t *Spot, r *Run) Force                   { return pushFar(t, r) }
func distancesAt(_ simd.Level, r2, mu []float64, columns [][]float64) { distances(r2, mu, columns, 0) }
func repulsionsAt(_ simd.Level, b *Block)                             { repulsions(b, 0) }
func gatherAt(_ simd.Level, sum, v []float64, columns [][]float64)    { gather(sum, v, columns, 0) }
