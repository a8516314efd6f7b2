// Package pairwise holds the loops over pairs of points that the models spend their
// time in: one target against a run of sources.
//
// # The kernels
//
// With u = r^2/2, s = sigma_i^2 + sigma_j^2, q = s + u, A = Delta_i^2 and B =
// Delta_j^2 the repulsion of both directions of a pair of the plane (d = 2, a = 1)
// is, with one division and nothing subtracted but coordinates,
//
//	V_ij = A/(q(q+A)) + B/(q(q+B)) = ((A+B) q + 2AB) / (q (q+A)(q+B)).
//
// Push and PushFar sum it up, PushSpace32 what it is in space (d = 3, a = 3/2). For
// other d the same is done in three steps over blocks of sources that fit the
// first-level cache: Distances, Repulsions, Gather.
//
// # The Gaussian model
//
// Gauss does the rows of a block, every pair once for both directions and both
// ends: first the terms of a run of partners (distances, 1/q, r^(d/2) and what it
// lacks by doubling, the exponential and what it lacks, one more division), then
// the sums. In between are taken out the partners that are no dissimilar pairs. In
// the plane with AVX-512 one kernel does all of it in registers, with a mask of the
// partners that stay.
//
// With assembly exp(-e) is right to 1 + e units in the last place, as e itself is
// known to half a unit, and 1 - exp(-e) to one or two, also where it is small.
//
// # Precision
//
// All is float64 and every division and square root is correctly rounded. The
// versions in assembly add up in as many sums as they have lanes and round a
// product and a sum together where they can, so that sums of n terms differ from
// those of the plain Go versions by a relative n 2^-53 of the sum of magnitudes at
// most, usually by a few 2^-53. Which version runs is chosen once, by package simd.
//
// PushSpace32 starts from the processor's estimate of a reciprocal root, whose last bits differ
// between makers of processors.
//
// # Same bits
//
// Push, PushFar, Logs, Distances, Repulsions, Gather and Narrow have a version for AVX2 and none for
// AVX-512. A version for AVX-512 adds up in other sums and so gives other bits, and the map of a fit
// is then another one on another machine. It saved 4 % of a fit of 70,000 points: divisions, which take most
// of the time, are no faster in wider registers. So maps of the default model in the plane, and in four and more
// dimensions, have the same bits with AVX2 and AVX-512. In space, and with Gaussian tails, AVX-512 saves a
// quarter of the time and more, and maps differ.
//
// # Processors
//
// On arm64 Logs and Gauss are the plain versions, and all else is vectors of 128 bits.
//
// # Contract
//
// Slices of a Run have the length of its W. Nothing is allocated. Values that are
// not finite give results that are not finite, without a fault.
package pairwise

//go:generate env GOFLAGS=-tags=noasm go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg pairwise
//go:generate env GOFLAGS=-tags=noasm go run ./neon -out kernels_arm64.s -stubs stubs_arm64.go -pkg pairwise
