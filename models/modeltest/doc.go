// Package modeltest contains helpers for tests of models: small data sets, a snapshot that needs no
// learning, and the conformance suite that every models.Placer passes.
//
// Placers checks that placement is a pure function of (snapshot, vector), bit for bit, for any
// batch size, order and number of threads. It also checks that errors of bad input name row and
// column.
package modeltest
