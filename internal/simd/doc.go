// Package simd detects the vector instructions of this processor, so that kernels written in
// assembly are chosen once, when the program starts.
//
// Every such kernel has a twin in plain Go that runs on any machine. The build tag noasm leaves
// only the twins.
//
// # Kernels
//
// On amd64 programs named asm write the kernels with avo, for AVX2 and AVX-512. On arm64 programs
// named neon write them with package a64, for NEON, in the packages whose loops take most of the
// time:
//
//	tile      inner products of the exact search, and placing rows
//	dist      squared distances of numbered rows
//	gather    weighted sums of rows
//	gemm      products of matrices
//	pairwise  pairs of the default model, at any number of dimensions
//	sq8       distances of codes of one byte
//	hamming   distances of rows of bits
//
// The other packages use their twins there, including pull, the Gaussian model's rows in pairwise,
// and its logarithms.
//
// # Same bits
//
// dist, tile.Linear, sq8, codes, hamming and minplus give the twin's bits on every processor, so that
// placing does too. The other packages fuse products into sums, and differ within the errors that
// they state. Those of the default model give the same bits for AVX2 and AVX-512 (package
// pairwise), except in three dimensions.
//
// The environment variable UNFOLD_CPU lowers the level that Best returns.
//
// # Tests
//
// The tests of a package run every kernel with every instruction set, on memory that ends where
// slices do. The arm64 tests run in qemu, so their speed on arm64 has not been measured. On
// processors without AVX-512, make avx512 runs its kernels in Bochs. make kernels lists every
// kernel and how it is tested on this machine.
package simd
