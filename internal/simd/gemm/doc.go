// Package gemm computes products of float64 matrices at the speed of the
// processor, underneath gonum: after Use, whatever of gonum stands on Dgemm,
// Dsyrk and Dtrsm, such as mat.Dense.Mul, mat.Cholesky or mat.QR, runs on it.
//
// # Products
//
// C <- C + alpha A B is cut into blocks of depth 256, and these into panels: 24
// columns of B and 8 rows of A side by side, depth by depth, copied once and then
// read in order. A kernel keeps 8 x 24 sums in 24 registers of 512 bits, or a
// quarter of them in 12 of 256 bits or 24 of 128 (arm64), and does as many fused operations for every
// step of the depth (Goto and van de Geijn 2008, Anatomy of high-performance
// matrix multiplication; Van Zee and van de Geijn 2015, BLIS). Transposed
// matrices differ in their strides when they are copied, and nowhere else. Dsyrk
// leaves out the tiles beyond the diagonal.
//
// # Triangles
//
// Dtrsm halves the triangle until 24 rows are left: solve for one half, take its
// product out of the other, solve that. The triangles of 24 rows are inverted first,
// so that all the work is in products; the error is that of substitution times the
// condition of such a small triangle.
//
// # Panels
//
// PackLeft, PackRight and AddTile are what products are made of, for those who know
// better than a product what is packed already.
//
// # Errors
//
// With u = 2^-53, an element of A B is a sum in order of its depth k, in blocks of
// 256 each of which is multiplied by alpha and added to C, and errs by at most
//
//	(min(k,256) + k/256 + 3) u (|beta c| + |alpha| sum_p |a_p b_p|)
//
// whether products are fused into sums, as the kernels do, or rounded first, as
// plain Go does. Kinds of processors differ within that.
//
// # Contract
//
// The bits of an element do not depend on the number of threads, nor on the place
// of the element in the matrix. Elements outside of C, or outside of its triangle,
// are neither read nor written. Arguments that gonum refuses panic as in gonum.
// Unlike gonum, which leaves out terms where an element of A is zero, 0 times NaN
// or infinity is NaN.
package gemm

//go:generate env GOFLAGS=-tags=noasm go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg gemm
//go:generate env GOFLAGS=-tags=noasm go run ./neon -out kernels_arm64.s -stubs stubs_arm64.go -pkg gemm
