// Package embed leads from events to placed rows.
//
// Open makes a Map of a snapshot: how records become vectors (package ingest), the model
// that places them, what predicts their classes, and the columns that pass through. All
// that place events use it. So a version of a map gives the same bytes whoever places on
// it:
//
//	Map.Table   one table of a file      -> one ingest.Output
//	Map.Place   messages (a stream.Map)  -> a message each, and parts of it
//	Map.Vectors vectors                  -> Places, of which either is made
//
// Placing is a pure function of map and row: batches of any size give the same places.
// Errors name the source, the row and the column.
package embed
