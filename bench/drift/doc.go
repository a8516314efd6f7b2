// Command drift measures how soon package models/drift detects a change of a stream, and how often
// it raises false alarms, in comparison with other tests, and writes docs/drift.md. With -bounds it
// computes the table of bounds of the package. All figures on the page and in the table are
// measured.
//
//	make drift UNFOLD_DATA=DIR
//	make drift-bounds
package main
