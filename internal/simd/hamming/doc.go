// Package hamming finds the rows of bits that differ from a query in few bits.
//
//	Panels   rows of bits, 64 side by side
//	Within   which rows of a panel differ from each of some queries in no more than a limit
//
// # Layout
//
// A row has some words of 64 bits. A panel has the first words of its 64 rows, then their second
// words, and so on,
//
//	row 0: word 0 | row 1: word 0 | ... row 63 | row 0: word 1 | ...
//
// so that a register of 512 bits has a word of eight rows, and counts need not be added across it.
// The operations are an exclusive or with the query's word, a count of ones, and a sum. Within
// returns one bit for each row; Count recomputes the few counts that matter.
//
// # Early ends
//
// Counts only grow with further words. After the head, the first words, the kernel for AVX-512
// skips a query for which all 64 counts exceed the limit. So the head should have the columns that
// differ most. It affects the time of a comparison, never its result. The other kernels count all
// words.
//
// # Exactness
//
// Counts are integers: the masks are the same for every level of package simd, and in plain Go on
// any machine.
package hamming
