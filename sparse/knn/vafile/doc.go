// Package vafile compares one coarse vector with many. It is the filter of an exact search for the
// neighbours of a single query, which would otherwise mostly wait for memory (the VA-file: Weber,
// Schek and Blott 1998, A quantitative analysis and performance study for similarity-search methods
// in high-dimensional spaces).
//
// A row has Dims integers of 0..127, a byte each, so that 60000 rows take 1 MB and stay in the
// second-level cache. A query has Dims integers of -128..127. With the norm of row j, an integer
// that the caller chooses, a comparison computes
//
//	dst_j = norm_j - q x_j
//
// in integers, without rounding, so that all instruction sets agree bit for bit. The caller
// converts the result to distances.
//
// Rows that pass a limit can be compared again with more dimensions. These are stored separately
// (Wide), one cache line for each row.
//
// Rows are in blocks of Width. Four dimensions of a row are adjacent, so that byte 4c+d of the g-th
// 4*Width bytes of a block is dimension 4g+d of row c.
package vafile

//go:generate env GOFLAGS=-tags=noasm go run -C ../../../internal/asm ./amd64/vafile -out ../../sparse/knn/vafile/kernels_amd64.s -stubs ../../sparse/knn/vafile/stubs_amd64.go -pkg vafile

const (
	// Dims is the dimension of rows and queries.
	Dims = 16
	// WideDims is the dimension of the rows of Wide, and of its queries.
	WideDims = 64
	// Width is the number of rows of a block.
	Width = 64
	// Largest is the largest integer of a row.
	Largest = 127
	// Never is the norm of the padding in the last block: its comparison exceeds 2^29 for any
	// query.
	Never = 1 << 30
)
