//go:build amd64 && !noasm

package pairwise

import "unfold/internal/simd"

// whole reports whether pushKept and spreadKept exist: in the plane, with masks.
func (g *Gauss) whole(l simd.Level) bool { return l == simd.AVX512 && len(g.points.Mu) == 2 }

// pushKept combines weights and push for the partners in keep.
func (g *Gauss) pushKept(u, from, n int) { gaussPushPlaneAVX512(g, u, from, n) }

// spreadKept combines excess and spread for the partners in keep.
func (g *Gauss) spreadKept(u, from, n int) { gaussSpreadPlaneAVX512(g, u, from, n) }

func (g *Gauss) weightsAt(l simd.Level, u, from, n int) {
	plane := len(g.points.Mu) == 2
	switch {
	case l == simd.AVX512:
		gaussWeightsAVX512(g, u, from, n)
	case l == simd.AVX2 && plane:
		gaussWeightsPlaneAVX2(g, u, from, n)
	case l == simd.AVX2:
		gaussWeightsAVX2(g, u, from, n)
	default:
		g.weights(u, from, n)
	}
}

func (g *Gauss) excessAt(l simd.Level, u, from, n int) {
	plane := len(g.points.Mu) == 2
	switch {
	case l == simd.AVX512:
		gaussExcessAVX512(g, u, from, n)
	case l == simd.AVX2 && plane:
		gaussExcessPlaneAVX2(g, u, from, n)
	case l == simd.AVX2:
		gaussExcessAVX2(g, u, from, n)
	default:
		g.excess(u, from, n)
	}
}

func (g *Gauss) othersAt(l simd.Level, u, from, n int) {
	switch l {
	case simd.AVX512:
		gaussOthersAVX512(g, u, from, n)
	case simd.AVX2:
		gaussOthersAVX2(g, u, from, n)
	default:
		g.others(u, from, n)
	}
}

func (g *Gauss) pushAt(l simd.Level, u, from, n int) {
	switch l {
	case simd.AVX512:
		gaussPushAVX512(g, u, from, n)
	case simd.AVX2:
		gaussPushAVX2(g, u, from, n)
	default:
		g.push(u, from, n)
	}
}

func (g *Gauss) spreadAt(l simd.Level, u, from, n int) {
	switch l {
	case simd.AVX512:
		gaussSpreadAVX512(g, u, from, n)
	case simd.AVX2:
		gaussSpreadAVX2(g, u, from, n)
	default:
		g.spread(u, from, n)
	}
}
