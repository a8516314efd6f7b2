//go:build !amd64 || noasm

package pull

import "unfold/internal/simd"

func rowsAt(_ simd.Level, p *Pairs[float32, uint8], st *State, c float64, w []float32, grad [][2]float64, sum []float64, from, to int) {
	p.rows(st, c, w, grad, sum, from, to)
}
