// Package snapshot contains the state of a map in memory, and its file format.
//
// A Snapshot contains everything that placing an event and continued learning need: the encoder and
// the projection before the model, the reference points with their means and variances, the novelty
// tables, and the source offsets up to which it has learnt. It is immutable once published.
//
// # The file
//
// A header, a directory, then named blocks of little-endian numbers, each on a
// 64-byte boundary so that a reader may map the file, each with its type, its
// shape and a CRC-32C. docs/reference/model-file.md draws the bytes. Every bit of the file
// is covered: header and directory have checksums of their own and padding
// must be zero, so a file that was changed by one bit does
// not load.
//
// FormatVersion counts the versions of the format. A reader reads every version up to its own, for
// ever. It rejects later versions with ErrNewer. Unknown blocks are skipped after their checksum
// has been verified, so optional blocks can be added without a new version. A new version is needed
// only for a change that an old reader would misinterpret.
//
// # Contract
//
// Read treats its input as untrusted. For any bytes it returns a valid snapshot or an error and
// does not panic. It allocates in proportion to the bytes that are present, never to a number that
// they claim. Its errors are *FormatError: they name the block and the offset, and match one of
// ErrCorrupt, ErrTruncated, ErrNewer or ErrNotSnapshot, and models.ErrBadInput.
package snapshot
