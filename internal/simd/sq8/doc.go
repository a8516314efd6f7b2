// Package sq8 holds vectors in one byte an element and measures their squared
// distances to a query, all of a run of them, for searches that pass over many vectors
// on the way to few.
//
//	Scale    what codes stand for; makes those of rows
//	Query    the code of a query
//	Panels   the codes of rows, and their distances to a query (Scores)
//
// Package topk finds the least of these.
//
// # Codes
//
// All elements share one step s, and column k has a centre c_k, the middle of its range:
//
//	code_k(x) = (x_k - c_k) / s, rounded;  s = half of the widest range / 63
//
// which is -63 to 63 for rows, in 7 bits, and as much as -127 to 127 for queries, in 8.
// A query farther outside has a code in longer steps (Query.SetFar). The noise of a
// distance is about 0.4 s, whatever the dimension: two errors of s/sqrt(12) along the
// line between both. Digits, after a principal component analysis, have their 41st
// neighbour at 30 s.
//
// # Scores
//
// With r = code(row) + h, h_k the largest magnitude of a row's code in column k, which is
// not negative, and q = code(query),
//
//	|code(row) - q|^2 = score + base,
//	score = |code(row)|^2 - 2 r.q,  base = sum_k q_k^2 + 2 h_k q_k,
//
// so that a pass over rows is a pass of dot products of unsigned with signed bytes: two
// neighbouring products fit in 16 bits (2 x 126 x 127 < 2^15), which is what the 7 bits
// are for. In a panel 16 rows lie side by side in groups of four columns,
//
//	row 0: columns 0 1 2 3 | row 1: columns 0 1 2 3 | ... row 15 | row 0: columns 4 5 6 7 | ...
//
// so that a register of 512 bits holds 16 rows and the sums of rows never have to be
// added up across it: two operations for 64 elements.
//
// Sums stay in 16 bits as long as they fit there whatever the row is, which a query knows
// of itself: product k is between 0 and 2 h_k q_k. Most queries are far from the end of the
// range in most columns, so that a run of groups until sums are widened to 32 bits is
// long.
//
// On arm64 the 7 bits also make rows signed bytes: two products in 16 bits, and one sum of
// neighbours in 32, are three operations for 16 elements.
//
// # Exactness
//
// Scores are integers, exact whatever the order of the sum: the same for every level of
// package simd, and in plain Go on any machine.
package sq8
