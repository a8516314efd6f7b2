// Package table represents raw records from a source. A Table consists of typed columns (Column) of
// equal length and the Origin of its first row.
//
// All file formats and message decoders return tables through the interface Reader. The encoder of
// package ingest converts them to vectors. Errors in an input are of type *Error. They state the
// location (file, row, line, column; topic, partition, offset), the problem and a remedy.
//
// Values are in Arrow arrays, which Column and Table share and never modify. SoundColumn checks and
// repairs a column that passes through to an output, because Arrow types allow values that other
// readers reject.
package table
