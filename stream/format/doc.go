// Package format chooses how the messages of a topic are read, and how places are written.
//
//	Decoder  message -> record.Decoded and a Wire    by the format set, or by the bytes alone
//	Encoder  emit.Output and a Wire -> value         in the format set, or that of the input
//
// Packages of ingest read and write each format; package stream/registry has the schemas
// that messages name. A decoder of a schema is made once and kept.
//
// # Auto
//
// Auto recognises each message by its own bytes, so that a message has the same events whatever
// came before it: an Arrow IPC stream begins with four bytes 0xFF, JSON with '{' or '['.
// With a registry a message that names a schema, by a byte 0 and an id or in a header, is
// what the schema says.
//
// # Keys
//
// The id of an event that is no more comes from its message's key: the key as text, or, of
// an object or a framed record, the field named as the column of ids, or else the only one.
//
// # What is missing
//
// A schema that is not known yet is an error of type *stream.UnavailableError, which gets
// it: so decoding never waits for a registry itself.
package format
