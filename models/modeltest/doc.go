// Package modeltest is what tests of models share: small data sets, a snapshot
// that needs no learning, and the conformance suite that every models.Placer
// passes.
//
// Placers checks what the rest of the program relies on: placing is a pure
// function of (snapshot, vector), to the bit, for any batch size, order and
// number of threads, and bad input is an error that names row and column.
package modeltest
