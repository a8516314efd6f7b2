// Package arrowfmt reads Arrow IPC files, streams, and messages that are one complete stream each.
//
// The input may come from anyone. Its bytes are checked before Arrow's decoder reads them (package
// arrowipc), decoded with bounded memory, and then all values are checked (package arrays). A
// Decoder remembers the schemas of a topic's messages, most of which begin with the same one, and
// reads such messages without decoding the schema again. Its results are those of DecodeMessage.
package arrowfmt
