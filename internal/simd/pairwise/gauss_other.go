//go:build !amd64 || noasm

package pairwise

import "unfold/internal/simd"

// whole returns false, since there are no kernels that combine terms and sums.
func (g *Gauss) whole(simd.Level) bool     { return false }
func (g *Gauss) pushKept(u, from, n int)   { panic("pairwise: no such kernel") }
func (g *Gauss) spreadKept(u, from, n int) { panic("pairwise: no such kernel") }

func (g *Gauss) weightsAt(_ simd.Level, u, from, n int) { g.weights(u, from, n) }
func (g *Gauss) excessAt(_ simd.Level, u, from, n int)  { g.excess(u, from, n) }
func (g *Gauss) othersAt(_ simd.Level, u, from, n int)  { g.others(u, from, n) }
func (g *Gauss) pushAt(_ simd.Level, u, from, n int)    { g.push(u, from, n) }
func (g *Gauss) spreadAt(_ simd.Level, u, from, n int)  { g.spread(u, from, n) }
