// Package pairwise has the loops over pairs of points that take most of the models' time: one
// target with a run of sources.
//
// # The kernels
//
// Let u = r^2/2, s = sigma_i^2 + sigma_j^2, q = s + u, A = Delta_i^2 and B = Delta_j^2. The
// repulsion of both directions of a pair in the plane (d = 2, a = 1) needs one division and no
// subtraction except of coordinates:
//
//	V_ij = A/(q(q+A)) + B/(q(q+B)) = ((A+B) q + 2AB) / (q (q+A)(q+B)).
//
// Push and PushFar sum it, and PushSpace32 sums its counterpart in space (d = 3, a = 3/2). For
// other d there are three steps over blocks of sources that fit in the first-level cache:
// Distances, Repulsions, Gather.
//
// # The Gaussian model
//
// Gauss processes the rows of a block, every pair once for both directions and both points. It
// first computes the terms of a run of partners: distances, 1/q, r^(d/2) and 1 - r^(d/2) by
// doubling, the exponential and one minus it, and one more division. Then it sums them. In between,
// partners that are not dissimilar are removed. In the plane with AVX-512 one kernel does all of it
// in registers, with a mask of the remaining partners.
//
// With assembly the error of exp(-e) is 1 + e units in the last place, since e itself is known to
// half a unit. That of 1 - exp(-e) is one or two units, also where it is small.
//
// # Precision
//
// All arithmetic is float64, with correctly rounded divisions and square roots. The assembly has as
// many partial sums as lanes and fuses products into sums where it can. So sums of n terms differ
// from those of plain Go by at most n 2^-53 relative to the sum of magnitudes, usually by a few
// 2^-53. Package simd chooses the version once.
//
// PushSpace32 uses the processor's estimate of a reciprocal root, whose last bits differ between
// makers of processors.
//
// # Same bits
//
// Push, PushFar, Logs, Distances, Repulsions, Gather and Narrow have a version for AVX2 and none
// for AVX-512. A version for AVX-512 would have other partial sums and so other bits, and a fit
// would give another map on another machine. It saved only 4 % of a fit of 70,000 points, since
// divisions, which take most of the time, are no faster in wider registers. So maps of the default
// model in the plane, and in four and more dimensions, have the same bits with AVX2 and AVX-512. In
// space, and with Gaussian tails, AVX-512 saves a quarter of the time or more, and maps differ.
//
// # Processors
//
// On arm64 Logs and Gauss are the plain versions; everything else uses vectors of 128 bits.
//
// # Contract
//
// All slices of a Run have the length of its W. Nothing is allocated. Values that are not finite
// give results that are not finite, without a panic.
package pairwise

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/pairwise -out ../simd/pairwise/kernels_amd64.s -stubs ../simd/pairwise/stubs_amd64.go -pkg pairwise
//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./arm64/pairwise -out ../simd/pairwise/kernels_arm64.s -stubs ../simd/pairwise/stubs_arm64.go -pkg pairwise
