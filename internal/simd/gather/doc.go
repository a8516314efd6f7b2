// Package gather computes weighted sums of rows of float64 matrices, the inner loop of products
// with a sparse matrix from the left.
//
//	Sum     dst = sum_t w_t X_(l_t)                        a row of G X
//	Slope   dst = sum_t w_t (P_(l_t) - P_i) * X_(l_t)      * element by element
//
// with the entries w_t of a row of G in the columns l_t. Both keep the sums of some columns in
// registers while they loop over the terms, so that an element of X is read once and one of dst
// written once.
//
// # Errors
//
// Sums are in the order of the list. Kernels fuse products into sums and plain Go does not. Both
// have an error of at most (terms+2) u sum_t |w_t f_t x_t|, u = 2^-53, where f_t is 1 or the
// rounded difference.
//
// # Contract
//
// Nothing is read or written beyond the columns of dst. Nothing is allocated.
package gather

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/gather -out ../simd/gather/kernels_amd64.s -stubs ../simd/gather/stubs_amd64.go -pkg gather
//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./arm64/gather -out ../simd/gather/kernels_arm64.s -stubs ../simd/gather/stubs_arm64.go -pkg gather
