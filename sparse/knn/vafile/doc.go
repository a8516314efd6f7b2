// Package vafile compares one coarse vector with many: the filter of an exact
// search for the neighbours of a single query, which would otherwise spend its
// time waiting for memory (the VA-file: Weber, Schek and Blott 1998, A
// quantitative analysis and performance study for similarity-search methods in
// high-dimensional spaces).
//
// A row is Dims numbers of 0..127, a byte each, so that 60000 rows fill 1 MB and
// stay in the second-level cache. A query is Dims numbers of -128..127. With the
// norm of row j, a number of the caller's choice, a comparison gives
//
//	dst_j = norm_j - q x_j
//
// in whole numbers, without rounding: all levels of instructions agree bit for
// bit. What distances follow from it is the caller's business.
//
// Those that pass a limit may be looked at again with more dimensions: package
// vafile keeps these apart (Wide), a cache line a row.
//
// Rows stand in blocks of Width; four dimensions of a row are side by side, so
// that byte 4c+d of the g-th 4*Width bytes of a block is dimension 4g+d of row
// c.
package vafile

//go:generate env GOFLAGS=-tags=noasm go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg vafile

const (
	// Dims is the dimension of rows and queries.
	Dims = 16
	// WideDims is the dimension of the rows of Wide, and of its queries.
	WideDims = 64
	// Width is the number of rows of a block.
	Width = 64
	// Largest is the largest number of a row.
	Largest = 127
	// Never is the norm of the places that fill up the last block: more than
	// 2^29 whatever the query.
	Never = 1 << 30
)
