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
// A matrix of more than some hundred rows is divided into tiles of 48 x 48, which are tasks with
// dependencies (A. Buttari, J. Langou, J. Kurzak and J. Dongarra, A class of parallel tiled linear
// algebra algorithms for multicore architectures, Parallel Computing 35, 2009). Finished tiles of L
// are packed once into the panels of package gemm, and a tile subtracts everything to its left at
// once. The inverse W of L only exists as panels. Each step reads and packs n^2 numbers in total,
// not at every level of a recursion.
//
// A smaller matrix is halved recursively until 48 rows remain, so that nearly all work is in
// products of large blocks, without a block size to tune (Gustavson 1997, Recursion leads to
// automatic variable blocking for dense linear-algebra algorithms). With A = [A11 .; A21 A22]:
//
//	L11 = chol A11,  L21 = A21 L11^-T,  L22 = chol(A22 - L21 L21')
//	(L^-1)21 = -L22^-1 L21 L11^-1
//	A^-1 = W' W, W = L^-1:  11: W11'W11 + W21'W21,  21: W22'W21,  22: W22'W22
//
// # Contract
//
// Matrices are square, by rows, and overwritten. Factor and Invert only read the lower triangle.
// The bits do not depend on the number of threads. For a matrix that is not positive definite they
// return an *IndefiniteError, which names the row; FactorJitter adds to the diagonal until the
// matrix is positive definite.
package spd
