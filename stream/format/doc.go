// Package format chooses the decoder of a topic's messages, and the encoder of places.
//
//	Decoder  message -> record.Decoded and a Wire    by the format set, or by the bytes alone
//	Encoder  emit.Output and a Wire -> value         in the format set, or that of the input
//
// Packages of ingest decode and encode each format; package stream/registry has the schemas of
// messages. A decoder of a schema is made once and cached.
//
// # Auto
//
// Auto recognises each message by its own bytes, so that its events do not depend on earlier
// messages. An Arrow IPC stream begins with four bytes 0xFF, JSON with '{' or '['. With a registry,
// a message with a schema id, after a byte 0 or in a header, is decoded by that schema.
//
// # Keys
//
// The id of a deleted event comes from its message's key: the key as text or, for an object or a
// framed record, the field with the name of the id column, otherwise its only field.
//
// # What is missing
//
// A schema that is not cached yet is an error of type *stream.UnavailableError, which can fetch it,
// so that decoding itself never waits for a registry.
package format
