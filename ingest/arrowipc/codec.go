package arrowipc

import "encoding/binary"

// codec is a batch's BodyCompression.
type codec int8

const (
	plain codec = iota
	lz4Frame
	zstdFrame
)

// codecOf returns the compression given in field 3 of a RecordBatch, a BodyCompression table with
// fields codec 0 and method 1.
func codecOf(t table) (codec, error) {
	c, ok, err := t.child(3)
	if err != nil || !ok {
		return plain, err
	}
	kind, err := c.scalar(0, 1, 0)
	if err != nil {
		return plain, err
	}
	method, err := c.scalar(1, 1, 0)
	if err != nil {
		return plain, err
	}
	if kind > 1 || method != 0 {
		return plain, unsupportedf("compress with lz4 or zstd", "compression %d by method %d", kind, method)
	}
	return codec(kind + 1), nil
}

// size returns the size of a buffer after decompression. A compressed buffer starts with this size
// as an int64, or with -1 if the rest is not compressed.
func (c codec) size(b []byte, lim Limits) (int64, error) {
	if c == plain || len(b) == 0 {
		return int64(len(b)), nil
	}
	if len(b) < 8 {
		return 0, badf("a compressed buffer has %d bytes", len(b))
	}
	size := int64(binary.LittleEndian.Uint64(b))
	b = b[8:]
	switch {
	case size == -1:
		return int64(len(b)), nil
	case size < 0:
		return 0, badf("a compressed buffer says it holds %d bytes", size)
	case size > lim.Decoded:
		return 0, limitf("a compressed buffer says it holds %d bytes once decompressed; at most %d are allowed", size, lim.Decoded)
	case c == zstdFrame:
		return size, checkZstd(b, size, lim)
	}
	return size, checkLZ4(b)
}

// checkLZ4 returns an error unless b starts with the magic number of an LZ4 frame. The blocks of
// such a frame have at most 4 MiB.
func checkLZ4(b []byte) error {
	if len(b) < 7 || binary.LittleEndian.Uint32(b) != 0x184D2204 {
		return badf("a buffer is not an LZ4 frame")
	}
	return nil
}

// checkZstd checks one zstd frame (RFC 8878, 3.1.1): the window is bounded, the declared content
// size equals size, and the blocks end exactly where b ends, so that no second frame can follow.
func checkZstd(b []byte, size int64, lim Limits) error {
	if len(b) < 5 || binary.LittleEndian.Uint32(b) != 0xFD2FB528 {
		return badf("a buffer is not a zstd frame")
	}
	descriptor := b[4]
	at := int64(5)
	single := descriptor&0x20 != 0
	window := size
	if !single {
		if int64(len(b)) < 6 {
			return badf("a zstd frame is cut off")
		}
		exponent, mantissa := int64(b[5]>>3), int64(b[5]&7)
		base := int64(1) << (10 + exponent)
		window = base + base/8*mantissa
		at++
	}
	if window > max(lim.Window, size) || !single && window > lim.Window {
		return badf("a zstd frame asks for a window of %d bytes; at most %d are allowed", window, lim.Window)
	}
	if descriptor&3 != 0 {
		return badf("a zstd frame needs a dictionary")
	}
	width := [...]int64{0, 2, 4, 8}[descriptor>>6]
	if width == 0 && single {
		width = 1
	}
	if !buffer(b).within(at, width) {
		return badf("a zstd frame is cut off")
	}
	if content, ok := contentSize(b[at : at+width]); ok && content != uint64(size) {
		return badf("a zstd frame holds %d bytes; its buffer says %d", content, size)
	}
	return zstdBlocks(b, at+width, descriptor&4 != 0)
}

func contentSize(b []byte) (uint64, bool) {
	switch len(b) {
	case 1:
		return uint64(b[0]), true
	case 2:
		return uint64(binary.LittleEndian.Uint16(b)) + 256, true
	case 4:
		return uint64(binary.LittleEndian.Uint32(b)), true
	case 8:
		return binary.LittleEndian.Uint64(b), true
	}
	return 0, false
}

// zstdBlocks walks over the block headers, 3 bytes each: bit 0 marks the last block, bits 1-2 are
// the type, the other 21 bits the size.
func zstdBlocks(b []byte, at int64, checksum bool) error {
	for {
		if !buffer(b).within(at, 3) {
			return badf("a zstd frame is cut off")
		}
		h := int64(b[at]) | int64(b[at+1])<<8 | int64(b[at+2])<<16
		n := h >> 3
		if h>>1&3 == 1 { // a run: one byte, repeated
			n = 1
		}
		if at += 3 + n; h&1 != 0 {
			break
		}
	}
	if checksum {
		at += 4
	}
	if at != int64(len(b)) {
		return badf("a zstd frame of %d bytes lies in a buffer of %d", at, len(b))
	}
	return nil
}
