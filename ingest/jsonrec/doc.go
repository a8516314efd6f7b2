// Package jsonrec reads records that are written as JSON: a message (Decoder) or a file of
// lines (NewReader).
//
// # What a message may be
//
//	{"id": 7, "v": [0.1, 2]}                              a record
//	[{"id": 7, "v": [0.1, 2]}, {"id": 8, "v": [3, 4]}]    several
//	{"schema": ..., "payload": ...}                       Kafka Connect's envelope of one
//	{"before": ..., "after": ..., "op": "u", ...}         a change of one, as Debezium writes it
//
// Of a change, what the record is after it counts; of a deletion, what it was before
// (record.Decoded). Fields of the change itself are columns if they are asked for by name:
// "source.lsn", "op". Connect's schema gives the columns their types: times, decimals and
// bytes are read as such (schema.go).
//
// # What becomes of values
//
//	number, truth value, text     as they are
//	object                        what is in it, by dotted path; its own text if asked for by name
//	list of numbers               a vector; null, "NaN" and "Infinity" in it are not finite
//	{"dimensions":, "vector":}    a sparse vector, made dense
//	[{"index":, "value":}]        a sparse vector, as it is
//	other lists                   left out; their own text if asked for by name
//
// What nobody wants is passed over, but must be JSON. A field that is wanted must not come
// twice in an object.
//
// # The scanner
//
// The package has a scanner of its own (scan.go), since half of a decoder's time goes into
// one list of numbers: libraries take it token by token, or pass over it before they read it.
// BenchmarkTokens has the tokens of Go's own library beside it. The scanner is held to
// encoding/json by properties and a fuzz target.
package jsonrec
