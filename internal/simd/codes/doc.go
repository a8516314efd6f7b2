// Package codes multiplies blocks of vectors whose elements are integers of one byte. It is the
// inner loop of an exact neighbour search in many dimensions, which excludes most pairs of rows by
// coarse vectors (package knn).
//
//	Panels   vectors of codes, 48 side by side
//	Left     eight vectors of codes, the other side of a product
//	Scan     which pairs are near enough
//	Bounds   half their squared distances
//	Fast     the ranges of codes that a processor multiplies fast
//
// # Values
//
// A code is an integer c from -127 to 127, or in a smaller range, the same for all vectors of a
// product. Let h_ij be half the squared distance of two vectors of codes, and start_i =
// -floor(|c_i|^2/2). The kernels compute
//
//	q_ij = start_i + start_j + c_i c_j = -h_ij, or that plus 1
//
// so that -q_ij is a lower bound of h_ij. All numbers are integers below 2^31 in magnitude, so they
// are exact, and every kernel and the plain twin give the same bits.
//
// # Layout
//
// The instruction VPDPBUSD (VNNI, an extension of AVX-512) multiplies four unsigned bytes with four
// signed ones and adds the products to an integer of 32 bits: 64 products at a time. So a panel has
// codes as c + L, L being the largest code, in groups of four consecutive elements of one vector,
// and the groups of its 48 vectors side by side. A left side has c itself, and its starts compensate
// for the L. Eight by 48 sums are in 24 registers, as in package tile.
//
// Processors without VNNI multiply 32 or 64 bytes and add the products in pairs to 16 bits
// (VPMADDUBSW). Products are at most 2 L^2. If the codes are small, sums of several fit in 16 bits,
// and only these are added to 32 bits: of 16 products for L = 31, 8 for 45 and 4 for 63. This is
// about three times as fast as products in float32. The kernels multiply four vectors with two or
// three registers of a panel at a time.
//
// Fast lists the ranges for a processor. Where there is none, products in float32 are faster.
package codes
