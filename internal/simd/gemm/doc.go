// Package gemm computes products of float64 matrices at the speed of the processor, as a backend of
// gonum. After Use, all functions of gonum that are based on Dgemm, Dsyrk and Dtrsm, such as
// mat.Dense.Mul, mat.Cholesky or mat.QR, use it.
//
// # Products
//
// C <- C + alpha A B is divided into blocks of depth 256, and these into panels: 24 columns of B
// and 8 rows of A, interleaved depth by depth, copied once and then read sequentially. A kernel
// keeps 8 x 24 sums in 24 registers of 512 bits, or a quarter of them in 12 of 256 bits or 24 of
// 128 (arm64), and runs as many fused operations for every step of the depth (Goto and van de Geijn
// 2008, Anatomy of high-performance matrix multiplication; Van Zee and van de Geijn 2015, BLIS).
// Transposed matrices only differ in their strides when they are copied. Dsyrk skips the tiles
// beyond the diagonal.
//
// # Triangles
//
// Dtrsm halves the triangle until 24 rows remain: it solves for one half, subtracts its product
// from the other, and solves that. The triangles of 24 rows are inverted first, so that all the
// work is in products. The error is that of substitution times the condition of such a small
// triangle.
//
// # Panels
//
// PackLeft, PackRight and AddTile are the building blocks of products, for callers that keep packed
// panels themselves.
//
// # Errors
//
// With u = 2^-53, an element of A B is a sum in the order of its depth k, in blocks of 256 that are
// each multiplied by alpha and added to C. Its error is at most
//
//	(min(k,256) + k/256 + 3) u (|beta c| + |alpha| sum_p |a_p b_p|)
//
// whether products are fused into sums, as in the kernels, or rounded first, as in plain Go. Kinds
// of processors differ within that.
//
// # Contract
//
// The bits of an element do not depend on the number of threads or on its position in the matrix.
// Elements outside C, or outside its triangle, are neither read nor written. Arguments that gonum
// rejects panic as in gonum. Unlike gonum, which skips terms where an element of A is zero, 0 times
// NaN or infinity is NaN.
package gemm

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/gemm -out ../simd/gemm/kernels_amd64.s -stubs ../simd/gemm/stubs_amd64.go -pkg gemm
//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./arm64/gemm -out ../simd/gemm/kernels_arm64.s -stubs ../simd/gemm/stubs_arm64.go -pkg gemm
