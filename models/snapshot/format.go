package snapshot

import (
	"errors"
	"fmt"
	"hash/crc32"

	"unfold/models"
)

// Sizes and limits of the format; docs/reference/model-file.md draws them.
const (
	magic      = "\x89UNFOLD\n" // a byte above 127 and a line end show damage by text transfer
	headerSize = 64
	entrySize  = 64
	alignment  = 64
	nameSize   = 24
	maxBlocks  = 1024
)

// castagnoli is the table of CRC-32C, which current processors compute in
// hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Type is the element type of a block.
type Type uint32

// The element types. Numbers are little-endian. A Text block holds its rows as
// strings, each a uint32 length and that many bytes.
const (
	Bytes Type = iota + 1
	Text
	Uint32
	Uint64
	Int64
	Float32
	Float64
)

var typeNames = map[Type]string{Bytes: "bytes", Text: "text", Uint32: "uint32", Uint64: "uint64", Int64: "int64", Float32: "float32", Float64: "float64"}

func (t Type) String() string {
	if s, ok := typeNames[t]; ok {
		return s
	}
	return fmt.Sprintf("type %d", uint32(t))
}

// size returns the number of bytes of one element, 0 for elements of different sizes (Text).
func (t Type) size() int {
	switch t {
	case Bytes:
		return 1
	case Uint32, Float32:
		return 4
	case Uint64, Int64, Float64:
		return 8
	}
	return 0
}

// Block is one entry of a file's directory.
type Block struct {
	Name       string
	Type       Type
	Rows, Cols uint64
	// Offset and Length are the position and the size of the block in the file, in bytes.
	Offset, Length uint64
	// CRC is the CRC-32C of these bytes.
	CRC uint32
}

// The kinds of file errors. A *FormatError matches one of them.
var (
	ErrNotSnapshot = errors.New("not an unfold model file")
	ErrNewer       = errors.New("written by a newer unfold; upgrade to read it")
	ErrTruncated   = errors.New("the file is truncated; copy it again or take an older one")
	ErrCorrupt     = errors.New("the file is corrupt; copy it again or take an older one")
)

// FormatError is the error of a file that is not a valid snapshot. Under errors.Is it matches its
// Kind and models.ErrBadInput.
type FormatError struct {
	// Kind is one of the errors above.
	Kind error
	// Block is the block's name, "header" or "directory".
	Block string
	// Offset is the byte offset of the block in the file.
	Offset uint64
	// Detail describes the error.
	Detail string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("%s at byte %d: %s: %v", e.Block, e.Offset, e.Detail, e.Kind)
}

// Is makes the error match its kind and models.ErrBadInput.
func (e *FormatError) Is(target error) bool {
	return target == e.Kind || target == models.ErrBadInput
}

// align rounds n up to a multiple of alignment.
func align(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }
