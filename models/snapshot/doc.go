// Package snapshot is the state of a map in memory, and the file that holds it.
//
// A Snapshot is everything that placing an event needs and what learning needs
// to go on: the encoder and the projection that come before the model, the
// reference points, their means and variances, the novelty tables, and the
// source offsets it has learnt up to. It is immutable once published.
//
// # The file
//
// A header, a directory, then named blocks of little-endian numbers, each on a
// 64-byte boundary so that a reader may map the file, each with its type, its
// shape and a CRC-32C. docs/reference/model-file.md draws the bytes. Every bit of the file
// is covered: header and directory have checksums of their own and padding
// must be zero, so a file that differs in one bit from what was written does
// not load.
//
// FormatVersion counts the versions of the format. A reader reads every
// version up to its own, for ever; a file of a later version is refused with
// ErrNewer. A block that a reader does not know is skipped after its checksum
// has been tested, so blocks that a reader can do without may be added without
// a new version; a new version is for a change that an old reader would
// misunderstand.
//
// # Contract
//
// Read treats its input as untrusted. Whatever the bytes are it returns a
// valid snapshot or an error, does not panic, and allocates in proportion to
// the bytes that are there, never to a number that they claim. Its errors are
// *FormatError: they name the block and the offset, and match one of
// ErrCorrupt, ErrTruncated, ErrNewer or ErrNotSnapshot, and models.ErrBadInput.
//
// WriteFile commits: it writes to a temporary name in the same directory,
// flushes to the disk, renames, and flushes the directory, so that after a
// crash the name holds the old snapshot or the new one, whole.
package snapshot
