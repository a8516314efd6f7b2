// Package modeltest is what tests of models share: the reader of the reference
// numbers under testdata/fixtures (package fixtures, under the names that tests
// of models use), comparisons with a stated tolerance, and the conformance
// suite that every models.Placer passes.
//
// Placers checks what the rest of the program relies on: placing is a pure
// function of (snapshot, vector), to the bit, for any batch size, order and
// number of threads, and bad input is an error that names row and column.
package modeltest
