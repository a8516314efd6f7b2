// Package pull is the loop over the edges of a graph in the plane or in space. It computes the
// attraction of each edge and the sums over each point's edges.
//
// # The kernel
//
// An edge of weight s_ij and squared length scale delta_ij^2 between points of variances sigma^2 has
//
//	W_ij = s_ij / (delta_ij^2 + sigma_i^2 + sigma_j^2 + r^2/(2a)),  r = |mu_i - mu_j|,
//
// This is H6 of package student, with the tail a. Pairs has the edges by rows, as in a sparse
// matrix, each in both directions. There are few different weights, so an edge has the index of its
// weight.
//
// For length scales in single precision and one-byte indices there is AVX2 assembly, which
// processes four edges at a time and gathers their other ends. All arithmetic is in double
// precision. W_ij are rounded to the precision of the length scales, and the sums use the rounded
// values.
//
// # Contract
//
// A row is summed in another order than in plain Go, with products fused into sums, so results
// differ by some units in the last place of the sum of magnitudes. Nothing is allocated. Values
// that are not finite give results that are not finite, without a panic. An index out of range is
// an error of the calling code.
package pull

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/pull -out ../simd/pull/kernels_amd64.s -stubs ../simd/pull/stubs_amd64.go -pkg pull
