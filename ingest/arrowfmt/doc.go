// Package arrowfmt reads Arrow IPC: files, streams, and messages, which are one complete
// stream each.
//
// The bytes need not be trusted. They are checked before Arrow's decoder sees them
// (package arrowipc), decoded with bounded memory, and checked once more to their last
// value (package arrays). A Decoder keeps the schemas of a topic's messages, most of
// which begin alike, and lays such messages out without decoding their schema again; the
// result is that of DecodeMessage.
package arrowfmt
