// Package jsonrec reads JSON records, from a message (Decoder) or from a file of lines (NewReader).
//
// # What a message may be
//
//	{"id": 7, "v": [0.1, 2]}                              a record
//	[{"id": 7, "v": [0.1, 2]}, {"id": 8, "v": [3, 4]}]    several
//	{"schema": ..., "payload": ...}                       Kafka Connect's envelope of one
//	{"before": ..., "after": ..., "op": "u", ...}         a change of one, as Debezium writes it
//
// The row of a change is the record after it, or the record before a deletion (record.Decoded).
// Fields of the change itself are columns if requested by name: "source.lsn", "op". Column types
// follow from Kafka Connect's schema, including times, decimals and bytes (schema.go).
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
// Fields that are not requested are skipped, but must be valid JSON. A requested field must not
// occur twice in an object.
//
// # The scanner
//
// The package has its own scanner (scan.go), because half of a decoder's time is spent on one list
// of numbers, which libraries read token by token, or scan once before they parse it.
// BenchmarkTokens compares it with the tokenizer of Go's library. Property tests and a fuzz target
// compare the results with encoding/json.
package jsonrec
