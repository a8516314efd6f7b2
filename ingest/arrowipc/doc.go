// Package arrowipc checks the bytes of an Arrow IPC stream before a decoder reads them.
//
// Messages are untrusted input that reaches the decoder as the producer wrote it, and Arrow's
// decoder trusts its input. A schema field that refers to itself overflows the stack. A length of
// two gigabytes is allocated before a byte of it has been read. A zstd frame may require a window
// of half a gigabyte. A program cannot recover from stack overflow or exhausted memory. Therefore
// every length, offset and count is first checked here on the raw bytes, with no allocation whose
// size depends on them.
//
// # What is checked
//
// An encapsulated message is framed as
//
//	0xFFFFFFFF | int32 metadata length | metadata (flatbuffer) | body
//
// A stream consists of a schema message, then dictionaries and record batches, then the end marker
// 0xFFFFFFFF 0x00000000. The checks, in order:
//
//   - Framing: lengths are within the bytes and within Limits; there is exactly one schema, and it
//     is first; the last message is complete; nothing follows the end marker (which is missing if
//     the writer was not closed).
//   - Flatbuffers: every table, vtable, vector and string that the decoder will read lies within
//     the metadata, computed in 64 bits so that no offset can wrap around and point backwards.
//   - Schema: the number of fields, the depth of nesting and the parameters of every type are
//     bounded; the reader supports every type.
//   - Batches: the numbers of nodes and buffers are exactly those that the schema's types require;
//     each buffer lies within the body and is long enough for its node's length; each column is as
//     long as the batch.
//   - Compression: each declared size, and their sum, is bounded; a zstd buffer is one frame with a
//     bounded window, whose blocks end where the buffer ends.
//
// The caller must check the values after decoding, as package arrays does: offsets of lists and
// strings, indices of dictionaries, references of views, ends of runs. The checks here ensure only
// that the arrays have their declared lengths.
//
// # Use
//
// Check checks a whole message in memory and returns a Stream with the messages, and the nodes and
// buffers of the batches. A Known is the schema at the beginning of a message. Most messages of a
// topic begin with the same bytes, which need not be checked again. Scanner reads a stream from a
// reader and yields checked messages; it reads a body in growing pieces, so that a false length
// allocates no memory before the bytes have arrived. Pattern writes streams that differ only in
// rows and values.
//
// Supported types: null, boolean, integers, floats, decimals of 128 and 256 bits, dates, times,
// timestamps, durations, intervals, binary and text (also large, fixed-size, views), lists (also
// large, fixed-size, views), structs, maps, dictionaries of these, and run-end encoding of types
// without children. Other parts of the format are refused as Unsupported, with the column's name:
// unions, decimals of 32 and 64 bits, run-end encoded lists and structs, dictionaries shared by two
// columns, tensors and big-endian data.
package arrowipc
