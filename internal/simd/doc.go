// Package simd says which vector instructions this processor has, so that kernels
// written in assembly can be chosen once, when the program starts.
//
// Every such kernel has a plain Go twin that any machine can run. The build tag
// noasm leaves only the twins.
//
// # Kernels
//
// On amd64 programs named asm write them with avo, for AVX2 and AVX-512. On arm64 programs
// named neon write them with package a64, for NEON, in the packages whose loops take
// most of the time:
//
//	tile      inner products of the exact search, and placing rows
//	dist      squared distances of numbered rows
//	gather    weighted sums of rows
//	gemm      products of matrices
//	pairwise  pairs of the default model, at any number of dimensions
//	sq8       distances of codes of one byte
//	hamming   distances of rows of bits
//
// The other packages, pull among them, the Gaussian model's rows in pairwise and its logarithms run their twins there.
//
// # Same bits
//
// dist, tile.Linear, sq8, hamming and minplus give the twin's bits on every processor, so that placing does. The others
// fuse products into sums, and differ by no more than their packages say. Those that learning by the default model runs
// on give the same bits for AVX2 and AVX-512 (package pairwise), except in three dimensions.
//
// The environment variable UNFOLD_CPU lowers the level that Best returns.
//
// # Tests
//
// The tests of a package run every kernel at every level, on memory that ends where slices do. Those of
// arm64 run in qemu, which says nothing about speed: how fast they are on arm64 has not been measured.
// Where a processor lacks AVX-512, make avx512 runs its kernels in Bochs. make kernels lists every kernel and how
// it is tested on the machine at hand.
package simd
