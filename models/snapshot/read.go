package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// Read reads a snapshot from r, up to the end, and validates it. It returns errors of r unchanged;
// all others are *FormatError.
func Read(r io.Reader) (*Snapshot, error) {
	in := &source{r: r, size: sizeOf(r)}
	blocks, size, err := in.directory()
	if err != nil {
		return nil, err
	}
	s := new(Snapshot)
	seen := make(map[string]bool, len(blocks))
	for _, b := range blocks {
		c, err := in.block(b)
		if err != nil {
			return nil, err
		}
		if f := byName[b.Name]; f != nil {
			if b.Type != f.typ || f.rows > 0 && c.rows != f.rows || f.cols > 0 && c.cols != f.cols {
				return nil, b.corrupt("is %d x %d of %s", b.Rows, b.Cols, b.Type)
			}
			if text, ok := c.data.([]string); f.name == "tails" && ok && text[0] != Tails {
				return nil, b.corrupt("says %q, want %q", text[0], Tails)
			}
			f.get(s, c)
		} else {
			s.takePart(b, c)
		}
		seen[b.Name] = true
	}
	if err := in.end(size); err != nil {
		return nil, err
	}
	for _, f := range fields {
		if f.must && !seen[f.name] {
			return nil, &FormatError{ErrCorrupt, "directory", headerSize, fmt.Sprintf("there is no block %q", f.name)}
		}
	}
	if err := positions(blocks, len(s.Positions)); err != nil {
		return nil, err
	}
	if err := heavyBlocks(blocks, in.format); err != nil {
		return nil, err
	}
	if err := s.checkFormat(in.format); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, &FormatError{ErrCorrupt, "file", 0, err.Error()}
	}
	if err := s.takeIndex(blocks); err != nil {
		return nil, err
	}
	return s, nil
}

// positions checks that a file contains all blocks of source positions, of equal length, or none.
func positions(blocks []Block, rows int) error {
	found := 0
	for _, b := range blocks {
		if byName[b.Name] == nil || !strings.HasPrefix(b.Name, "position.") {
			continue
		}
		if found++; b.Rows != uint64(rows) {
			return b.corrupt("has %d rows, others of position have %d", b.Rows, rows)
		}
	}
	if found != 0 && found != 3 {
		return &FormatError{ErrCorrupt, "directory", headerSize, fmt.Sprintf("there are %d blocks of position, want topic, partition and offset", found)}
	}
	return nil
}

// Info describes a file without its content.
type Info struct {
	// Format is the version of the file format, Size the size of the file in bytes.
	Format uint32
	Size   uint64
	Blocks []Block
}

// ReadInfo reads only the header and the directory.
func ReadInfo(r io.Reader) (*Info, error) {
	in := &source{r: r, size: sizeOf(r)}
	blocks, size, err := in.directory()
	if err != nil {
		return nil, err
	}
	return &Info{Format: in.format, Size: size, Blocks: blocks}, nil
}

// ReadMapID reads only the header, the directory and the id of the model's map, which is "" for a
// model without one.
func ReadMapID(r io.Reader) (string, error) {
	data, err := early(r, mapIDName)
	if id, is := data.([]string); is && len(id) == 1 {
		return id[0], err
	}
	return "", err
}

// ReadEncoder reads only the beginning of a model, to its encoder, which is nil for a model without
// one.
func ReadEncoder(r io.Reader) ([]byte, error) {
	data, err := early(r, encoderName)
	encoder, _ := data.([]byte)
	return encoder, err
}

// early reads a block near the beginning of a model, nil if it is not there.
func early(r io.Reader, name string) (any, error) {
	in := &source{r: r, size: sizeOf(r)}
	blocks, _, err := in.directory()
	if err != nil {
		return nil, err
	}
	for _, b := range blocks {
		if b.Offset > mostBefore {
			break
		}
		c, err := in.block(b)
		if err != nil {
			return nil, err
		}
		if b.Name == name {
			return c.data, nil
		}
	}
	return nil, nil
}

// mostBefore bounds the bytes in front of a block that early reads. Writers put the id of the map
// behind the kind, and the encoder behind the settings.
const mostBefore = 1 << 16

// corrupt returns the error of a corrupt block.
func (b *Block) corrupt(format string, args ...any) error {
	return &FormatError{ErrCorrupt, fmt.Sprintf("block %q", b.Name), b.Offset, fmt.Sprintf(format, args...)}
}

// source reads a file from front to back.
type source struct {
	r    io.Reader
	at   uint64 // bytes read
	size int64  // bytes of the whole input, -1 if unknown
	// format is the version in the header.
	format uint32
	buf    [1 << 16]byte
}

// sizeOf returns the number of bytes that r will return, or -1 if unknown.
func sizeOf(r io.Reader) int64 {
	switch v := r.(type) {
	case *bytes.Reader:
		return int64(v.Len())
	case *bytes.Buffer:
		return int64(v.Len())
	case *os.File:
		info, err := v.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		at, err := v.Seek(0, io.SeekCurrent)
		if err != nil {
			return -1
		}
		return info.Size() - at
	}
	return -1
}

// full fills p. At the end of the input it returns ErrTruncated for the named block.
func (in *source) full(p []byte, block string, offset uint64) error {
	n, err := io.ReadFull(in.r, p)
	in.at += uint64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &FormatError{ErrTruncated, block, offset, fmt.Sprintf("the file ends at byte %d", in.at)}
	}
	return err
}

// directory reads the header and the directory. It checks that the blocks are consecutive and
// within the size in the header.
func (in *source) directory() ([]Block, uint64, error) {
	le := binary.LittleEndian
	bad := func(kind error, format string, args ...any) ([]Block, uint64, error) {
		return nil, 0, &FormatError{kind, "header", 0, fmt.Sprintf(format, args...)}
	}
	var h [headerSize]byte
	switch n, err := io.ReadFull(in.r, h[:]); {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, 0, err
	case n == 0:
		return bad(ErrTruncated, "the file is empty")
	case n < len(magic) && string(h[:n]) == magic[:n], n >= len(magic) && n < headerSize && string(h[:len(magic)]) == magic:
		return bad(ErrTruncated, "the file ends at byte %d", n)
	case n < headerSize || string(h[:len(magic)]) != magic:
		return bad(ErrNotSnapshot, "it begins with % x, want % x", h[:min(n, len(magic))], magic)
	}
	in.at = headerSize
	if crc := crc32.Checksum(h[:28], castagnoli); crc != le.Uint32(h[28:]) {
		return bad(ErrCorrupt, "its checksum is %08x, want %08x", crc, le.Uint32(h[28:]))
	}
	in.format = le.Uint32(h[8:])
	count, size := le.Uint32(h[12:]), le.Uint64(h[16:])
	switch {
	case in.format > FormatVersion:
		return bad(ErrNewer, "format version %d, this program reads up to %d", in.format, FormatVersion)
	case in.format == 0 || count > maxBlocks || size > math.MaxInt64 || !zero(h[32:]):
		return bad(ErrCorrupt, "format version %d, %d blocks, %d bytes", in.format, count, size)
	case in.size >= 0 && uint64(in.size) < size:
		return bad(ErrTruncated, "the file has %d bytes of %d", in.size, size)
	case in.size >= 0 && uint64(in.size) > size:
		return bad(ErrCorrupt, "the file has %d bytes, want %d", in.size, size)
	}
	table := make([]byte, int(count)*entrySize)
	if err := in.full(table, "directory", headerSize); err != nil {
		return nil, 0, err
	}
	if crc := crc32.Checksum(table, castagnoli); crc != le.Uint32(h[24:]) {
		return nil, 0, &FormatError{ErrCorrupt, "directory", headerSize, fmt.Sprintf("its checksum is %08x, want %08x", crc, le.Uint32(h[24:]))}
	}
	blocks, err := entries(table, size)
	return blocks, size, err
}

// entries decodes the directory's entries. It checks that names are unique, that shapes match the
// lengths, and that offsets ascend without gaps, aligned, up to size.
func entries(table []byte, size uint64) ([]Block, error) {
	le := binary.LittleEndian
	blocks := make([]Block, 0, len(table)/entrySize)
	names := map[string]bool{}
	at := align(headerSize + uint64(len(table)))
	for ; len(table) > 0; table = table[entrySize:] {
		name, rest, _ := bytes.Cut(table[:nameSize], []byte{0})
		b := Block{
			Name: string(name), Type: Type(le.Uint32(table[24:])), CRC: le.Uint32(table[28:]),
			Rows: le.Uint64(table[32:]), Cols: le.Uint64(table[40:]),
			Offset: le.Uint64(table[48:]), Length: le.Uint64(table[56:]),
		}
		_, known := typeNames[b.Type]
		elements := b.Rows * b.Cols
		switch {
		case len(name) == 0 || !zero(rest) || names[b.Name]:
			return nil, b.corrupt("is not a name of its own")
		case !known && byName[b.Name] != nil:
			return nil, b.corrupt("is of an unknown %s", b.Type)
		case b.Offset != at || b.Length > size || b.Offset > size-b.Length:
			return nil, b.corrupt("%d bytes at %d do not fit into a file of %d bytes after byte %d", b.Length, b.Offset, size, at)
		case b.Rows > math.MaxInt32 || b.Cols > math.MaxInt32:
			return nil, b.corrupt("has a shape of %d x %d", b.Rows, b.Cols)
		case known && b.Type != Text && (elements > b.Length || elements*uint64(b.Type.size()) != b.Length),
			b.Type == Text && (b.Cols != 1 || b.Rows > b.Length/4):
			return nil, b.corrupt("%d x %d of %s do not take %d bytes", b.Rows, b.Cols, b.Type, b.Length)
		}
		names[b.Name] = true
		blocks = append(blocks, b)
		at = align(b.Offset + b.Length)
	}
	if at != size {
		return nil, &FormatError{ErrCorrupt, "directory", headerSize, fmt.Sprintf("the blocks end at byte %d of %d", at, size)}
	}
	return blocks, nil
}

// zero reports whether p contains only zeros.
func zero(p []byte) bool {
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return true
}

// skipTo reads padding, which must be zero.
func (in *source) skipTo(offset uint64) error {
	if offset == in.at {
		return nil
	}
	pad := in.buf[:offset-in.at]
	start := in.at
	if err := in.full(pad, "padding", start); err != nil {
		return err
	}
	if !zero(pad) {
		return &FormatError{ErrCorrupt, "padding", start, "it is not zero"}
	}
	return nil
}

// end checks that the input ends at the size in the header.
func (in *source) end(size uint64) error {
	if err := in.skipTo(size); err != nil {
		return err
	}
	switch n, err := io.ReadFull(in.r, in.buf[:1]); {
	case n > 0:
		return &FormatError{ErrCorrupt, "file", size, "there are bytes after its end"}
	case err != io.EOF:
		return err
	}
	return nil
}

// block reads the bytes of b and decodes them.
func (in *source) block(b Block) (content, error) {
	if err := in.skipTo(b.Offset); err != nil {
		return content{}, err
	}
	// If the size of the input is known it has been checked to contain b. Otherwise memory grows
	// with the bytes that arrive.
	room := b.Length
	if in.size < 0 {
		room = min(room, uint64(len(in.buf)))
	}
	le := binary.LittleEndian
	c := content{rows: int(b.Rows), cols: int(b.Cols)}
	var err error
	switch b.Type {
	case Uint32:
		c.data, err = elements(in, b, room, le.Uint32)
	case Uint64:
		c.data, err = elements(in, b, room, le.Uint64)
	case Int64:
		c.data, err = elements(in, b, room, func(p []byte) int64 { return int64(le.Uint64(p)) })
	case Float32:
		c.data, err = elements(in, b, room, func(p []byte) float32 { return math.Float32frombits(le.Uint32(p)) })
	case Float64:
		c.data, err = elements(in, b, room, func(p []byte) float64 { return math.Float64frombits(le.Uint64(p)) })
	default: // Bytes, Text, and blocks of an unknown type
		var raw []byte
		raw, err = elements(in, b, room, func(p []byte) byte { return p[0] })
		c.data = raw
		if b.Type == Text && err == nil {
			c.data, err = texts(b, raw)
		}
	}
	return c, err
}

// elements reads the elements of b through the source's buffer and verifies the checksum. room is
// the number of bytes to allocate at once.
func elements[T any](in *source, b Block, room uint64, get func([]byte) T) ([]T, error) {
	width := uint64(max(1, b.Type.size()))
	out := make([]T, 0, room/width)
	crc := uint32(0)
	for left := b.Length; left > 0; {
		p := in.buf[:min(left, uint64(len(in.buf)))]
		if err := in.full(p, fmt.Sprintf("block %q", b.Name), b.Offset); err != nil {
			return nil, err
		}
		crc = crc32.Update(crc, castagnoli, p)
		left -= uint64(len(p))
		if width == 1 {
			if raw, ok := any(&out).(*[]byte); ok {
				*raw = append(*raw, p...)
				continue
			}
		}
		for ; len(p) > 0; p = p[width:] {
			out = append(out, get(p))
		}
	}
	if crc != b.CRC {
		return nil, b.corrupt("its checksum is %08x, want %08x", crc, b.CRC)
	}
	return slices.Clip(out), nil
}

// texts splits the bytes of a Text block into its strings.
func texts(b Block, raw []byte) ([]string, error) {
	out := make([]string, 0, b.Rows)
	for uint64(len(out)) < b.Rows {
		if len(raw) < 4 {
			return nil, b.corrupt("it ends within string %d", len(out))
		}
		n := uint64(binary.LittleEndian.Uint32(raw))
		if raw = raw[4:]; n > uint64(len(raw)) {
			return nil, b.corrupt("it ends within string %d", len(out))
		}
		out, raw = append(out, string(raw[:n])), raw[n:]
	}
	if len(raw) > 0 {
		return nil, b.corrupt("it has %d bytes after its last string", len(raw))
	}
	return out, nil
}
