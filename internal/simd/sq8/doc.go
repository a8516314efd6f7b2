// Package sq8 stores vectors with one byte for each element and computes their squared distances to
// a query, for searches that scan many vectors to find few.
//
//	Scale    what codes stand for; makes those of rows
//	Query    the code of a query
//	Panels   the codes of rows, and their distances to a query (Scores)
//
// Package topk finds the smallest of these.
//
// # Codes
//
// All elements have one step size s, and column k has a centre c_k, the middle of its range:
//
//	code_k(x) = (x_k - c_k) / s, rounded;  s = half of the widest range / 63
//
// Codes are -63 to 63 for rows, in 7 bits, and up to -127 to 127 for queries, in 8. A query farther
// outside gets a code in larger steps (Query.SetFar). The standard error of a distance is about 0.4
// s in any dimension: two rounding errors of s/sqrt(12) along the line between both. For
// comparison, digits after a principal component analysis have their 41st neighbour at 30 s.
//
// # Scores
//
// Let r = code(row) + h, where h_k is the largest magnitude of a row's code in column k, so that r
// is not negative, and q = code(query). Then
//
//	|code(row) - q|^2 = score + base,
//	score = |code(row)|^2 - 2 r.q,  base = sum_k q_k^2 + 2 h_k q_k,
//
// so that a scan consists of dot products of unsigned with signed bytes. Two adjacent products fit
// in 16 bits (2 x 126 x 127 < 2^15), which is the reason for 7 bits. A panel has 16 rows,
// interleaved in groups of four columns,
//
//	row 0: columns 0 1 2 3 | row 1: columns 0 1 2 3 | ... row 15 | row 0: columns 4 5 6 7 | ...
//
// so that a register of 512 bits has 16 rows and sums need not be added across it: two operations
// for 64 elements.
//
// Sums stay in 16 bits as long as they cannot overflow for any row, which depends on the query
// alone: product k is between 0 and 2 h_k q_k. Most queries are far from the ends of the range in
// most columns, so that many groups fit in a run before sums are widened to 32 bits.
//
// With VNNI, an extension of AVX-512, one instruction multiplies and adds to 32 bits, so that runs do
// not matter.
//
// On arm64 the 7 bits also allow rows to be signed bytes: two products in 16 bits, and one sum of
// neighbours in 32, are three operations for 16 elements.
//
// # Exactness
//
// Scores are exact integers, so they are the same in any order of summation: for every level of
// package simd, and in plain Go on any machine.
package sq8
