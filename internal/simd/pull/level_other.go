//go:build !amd64 || noasm

package pull

import "unfold/internal/simd"

func planeAt(_ simd.Level, p *Pairs[float32, uint8], st *State[[2]float64], c float64, w []float32, grad [][2]float64, sum []float64, from, to int) {
	p.plane(st, c, w, grad, sum, from, to)
}

func spaceAt(_ simd.Level, p *Pairs[float32, uint8], st *State[[3]float64], c float64, w []float32, grad [][3]float64, sum []float64, from, to int) {
	p.space(st, c, w, grad, sum, from, to)
}
