// Package spd factors and inverts dense symmetric positive definite matrices at
// the speed of the products of package gemm.
//
//	Factor    A = L L'           n^3/3 operations
//	Invert    L -> A^-1          2/3 n^3 more
//	Solve     L L' X = B
//	LogDet    log |A|, from L
//	FactorSolve, InvertSolve    the halves of Solve along with Factor and Invert
//
// # Method
//
// From some hundred rows on the matrix is cut into tiles of 48 x 48, which are tasks that wait for
// each other (A. Buttari, J. Langou, J. Kurzak and J. Dongarra, A class of parallel tiled
// linear algebra algorithms for multicore architectures, Parallel Computing 35, 2009).
// What is finished of L is packed once into the panels that the products of package
// blas read, and a tile takes all that stands left of it out at once; the inverse W of L
// is never anything but panels. Each step reads and packs n^2 numbers altogether, not in
// every level of a recursion.
//
// A smaller matrix is halved in each step until 48 rows are left, so that nearly all work
// is in products of large blocks, without a block size to tune (Gustavson 1997,
// Recursion leads to automatic variable blocking for dense linear-algebra
// algorithms). With A = [A11 .; A21 A22]:
//
//	L11 = chol A11,  L21 = A21 L11^-T,  L22 = chol(A22 - L21 L21')
//	(L^-1)21 = -L22^-1 L21 L11^-1
//	A^-1 = W' W, W = L^-1:  11: W11'W11 + W21'W21,  21: W22'W21,  22: W22'W22
//
// # Contract
//
// Matrices are square, by rows, and worked on in place. Factor and Invert read
// the lower triangle alone. The bits do not depend on the number of threads. A
// matrix that is not positive definite is an *IndefiniteError, which names the
// row; FactorJitter adds to the diagonal until it is one.
package spd
