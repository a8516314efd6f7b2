// Package embed converts events to placed rows.
//
// Open makes a Map from a snapshot: the encoding of records as vectors (package ingest), the model
// that places them, the classifier, and the pass-through columns. All code that places events uses
// it, so that a version of a map gives the same bytes everywhere:
//
//	Map.Table   one table of a file      -> one emit.Output
//	Map.Place   messages (a stream.Map)  -> a message each, and parts of it
//	Map.Vectors vectors                  -> Places, the source of both others
//
// Placing is a pure function of map and row, independent of the batch. Errors name the source, the
// row and the column.
package embed
