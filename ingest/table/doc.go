// Package table holds raw records as a source gave them: typed columns (Column) of
// equal length, which together are a Table, and the Origin of its first row.
//
// Every file format and every message decoder gives tables, by the one interface
// Reader; the encoder of package ingest makes vectors of them. Errors about an input
// are an *Error: where (file, row, line, column; topic, partition, offset), what, and
// what to do.
//
// Values live in Arrow arrays, which Column and Table share and never change. A column
// that passes through to an output is checked and repaired by SoundColumn: an Arrow
// type allows values that other readers refuse.
package table
