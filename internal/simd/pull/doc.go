// Package pull is the loop over the edges of a graph in the plane or in space: what each of them
// pulls by, and what all of a point's edges come to.
//
// # The kernel
//
// An edge of weight s_ij and squared length scale delta_ij^2 between points of variances sigma^2 has
//
//	W_ij = s_ij / (delta_ij^2 + sigma_i^2 + sigma_j^2 + r^2/(2a)),  r = |mu_i - mu_j|,
//
// which is H6 of package student, where a is the tail. Pairs has the edges by rows, as a sparse matrix
// does, each in both directions. Weights have few different values: an edge has the number of its own.
//
// With length scales in single precision and numbers of a byte there is a version in assembly
// for AVX2, four edges at a time, of which each gathers its other end. All arithmetic is in double
// precision; W_ij are rounded to the precision of the length scales, and sums are of what they are
// then.
//
// # Contract
//
// A row's sums are added up in another order than in plain Go, and products and sums are rounded
// together: they differ by some units in the last place of the sum of magnitudes. Nothing is
// allocated. Values that are not finite give results that are not finite, without a fault; an index
// or a number that is out of range is a mistake in the calling code.
package pull

//go:generate env GOFLAGS=-tags=noasm go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg pull
