// Package arrowipc checks the bytes of an Arrow IPC stream before a decoder
// sees them.
//
// Messages are untrusted input: whatever a producer writes reaches the decoder, and
// Arrow's decoder trusts it. A schema field that refers to itself overflows the stack. A
// length of two gigabytes is allocated before a byte of it has been read. A zstd frame may
// ask for a window of half a gigabyte. Neither stack overflow nor exhausted memory can be
// recovered from. So every length, offset and count is checked here first, on the raw
// bytes, with no allocation whose size the bytes set.
//
// # What is checked
//
// An encapsulated message is framed as
//
//	0xFFFFFFFF | int32 metadata length | metadata (flatbuffer) | body
//
// and a stream is a schema message, then dictionaries and record batches, then
// the end marker 0xFFFFFFFF 0x00000000. The checks, in order:
//
//   - Framing: lengths are within the bytes and within Limits; exactly one
//     schema, first; the last message is whole; nothing follows the end marker,
//     which writers that are not closed leave out.
//   - Flatbuffers: every table, vtable, vector and string that the decoder
//     will look at lies within the metadata, by 64-bit arithmetic, so that no
//     offset can wrap around and point back.
//   - Schema: the number of fields, the depth of nesting and every type's
//     parameters are bounded; every type is one that the reader supports.
//   - Batches: they have exactly the nodes and buffers that the schema's types
//     ask for; each buffer lies within the body and is as long as its node's
//     length needs; a column is as long as the batch.
//   - Compression: each declared size, and their sum, is bounded; a zstd buffer
//     is one frame whose window is bounded and whose blocks end where the
//     buffer ends.
//
// What the values say is for the caller to check after decoding, as package arrays does:
// offsets of lists and strings, indices of dictionaries, where views lead, where runs end.
// The arrays then have the lengths that they claim.
//
// # Use
//
// Check looks at a whole message in memory: its Stream has the frames, and the nodes
// and buffers of the batches. Known is the schema that it begins with: most messages of
// a topic begin with the same bytes, which need not be checked again. Scanner walks a
// stream from a reader and hands out checked frames; it reads a body in growing pieces,
// so that a claimed length costs nothing until the bytes are there. Pattern writes
// streams that differ in their rows and values alone.
//
// Supported types: null, boolean, integers, floats, decimals of 128 and 256
// bits, dates, times, timestamps, durations, intervals, binary and text (also
// large, fixed-size, views), lists (also large, fixed-size, views), structs,
// maps, dictionaries of those, and run-end encoding of those without parts. The
// rest of the format is refused as Unsupported, by the column's name: unions,
// decimals of 32 and 64 bits, run-end encoded lists and structs, dictionaries
// that two columns share, tensors and big-endian data.
package arrowipc
