// Package tile multiplies blocks of float32 vectors at the speed of the processor. It is the inner
// loop of an exact neighbour search, which only needs lower bounds of distances (LowerBounds) or
// the pairs whose product reaches a threshold (Scan). It also computes the product of a tall matrix
// with itself (Gram).
//
// # Panels
//
// All functions read their vectors from panels: Width vectors interleaved dimension by dimension,
// so that element k of vector c of a panel is at k*Width + c. The same panels serve as the left and
// as the right side of a product. Height vectors of one panel are multiplied with all Width of
// another at a time. With 512-bit registers 8 x 48 sums are 24 registers; each step of the depth
// loads 3 registers, broadcasts 8 numbers and does 24 fused operations, which keeps both
// multipliers of a core busy (Goto and van de Geijn 2008, Anatomy of high-performance matrix
// multiplication; Van Zee and van de Geijn 2015, BLIS). The 256-bit kernels process a quarter of
// that at once, 4 x 24 in 12 registers, and those of arm64 a quarter, 8 x 12 in 24 registers of 128
// bits. On any other machine, and with the build tag noasm, plain Go does the same.
//
// # Lower bounds
//
// A lower bound is minus the sum of the product and both starts. A neighbour search chooses the
// starts such that this bounds half the squared distance from below. Bounds are stored as integers
// of the same order, so that a search can select the smallest (package topk) before it has any
// neighbours.
//
// # Scan
//
// With neighbours, products need not be stored. A sum in Scan starts at start_i + start_j and is
// compared at the end with the smaller of two thresholds, least_i and least_j; only one bit for
// each pair is stored. This suits a search that uses every product for both vectors: a pair matters
// if it may enter the list of either.
//
// If the leading dimensions have most of the squared norms, as for principal components, they
// decide most blocks. With a prefix, the kernels compare once after it, adding the largest possible
// product of the rest, (|a_i|^2 + |b_j|^2)/2 over the rest, and skip the rest of the block if no
// pair can reach its threshold.
//
// # Linear
//
// A row that is placed again must get the same position. Linear maps vectors with sums in float64
// whose order of additions is part of the contract. Its kernels compute up to 24 x 8 such sums in
// parallel.
//
// # Errors
//
// With u = 2^-24 and m dimensions, lower bounds hold and a scan compares
// start_i + start_j + z_i z_j with an error of at most
//
//	g (|start_i + start_j| + sum_k |z_ik z_jk|), g = (m+1) u / (1 - (m+1) u)
//
// plus m 2^-149 from underflow, for any order and whether products are fused into sums or rounded
// first (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). A comparison after a
// prefix of p <= m-2 dimensions rounds twice more but m-p products less, and has the same bound
// with the tails in place of the products beyond the prefix. The kernels of the levels differ
// within this bound. Gram documents its own errors.
package tile

import "unfold/internal/simd"

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/tile -out ../simd/tile/kernels_amd64.s -stubs ../simd/tile/stubs_amd64.go -pkg tile
//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./arm64/tile -out ../simd/tile/kernels_arm64.s -stubs ../simd/tile/stubs_arm64.go -pkg tile

const (
	// Width is the number of vectors of a panel.
	Width = 48
	// Height is the number of vectors of a panel that Scan compares at a time with the panels of
	// the other side.
	Height = 8
)

var _ = simd.Best
