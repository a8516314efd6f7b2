// Command drift measures how soon package models/drift finds that a stream has changed, and how
// often it is wrong, beside other tests, and writes docs/drift.md. With -bounds it makes the table
// of bounds that the package's rule goes by. Nothing on that page and in that table is typed by
// hand.
//
//	make drift UNFOLD_DATA=DIR
//	make drift-bounds
package main
