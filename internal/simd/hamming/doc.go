// Package hamming finds the rows of bits that differ from a query in few places.
//
//	Panels   rows of bits, 64 side by side
//	Within   which rows of a panel differ from each of some queries in no more than a limit
//
// # Layout
//
// A row is some words of 64 bits. In a panel the first words of its 64 rows lie beside each
// other, then the second words,
//
//	row 0: word 0 | row 1: word 0 | ... row 63 | row 0: word 1 | ...
//
// so that a register of 512 bits holds a word of eight rows, and counts of rows never have
// to be added up across it: an exclusive or with the query's word, a count of ones, a sum.
// Within returns one bit a row, and the few counts that matter are made again by Count.
//
// # Early ends
//
// Counts only grow with further words. Behind the head of the words the kernel for AVX-512
// leaves a query for which all 64 counts are above the limit. So the head should hold
// the columns that differ most. It decides how long a comparison takes, never its result.
// The other kernels count all words.
//
// # Exactness
//
// Counts are integers: the masks are the same for every level of package simd, and in plain
// Go on any machine.
package hamming
