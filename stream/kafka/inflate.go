package kafka

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go"
)

// recordLimit bounds the decompressed size of one record. A larger record, with the rest of its
// batch, becomes one dead letter. Tests lower it.
var recordLimit int64 = 128 << 20

const (
	// mostWindow is the largest window of a zstd frame, as in Java's clients.
	mostWindow = 128 << 20
	// keptWindow is the largest window whose decoder is reused for the next batch.
	keptWindow = 8 << 20
	// codecBytes estimates the memory of decompression without windows and blocks, zstdBytes that
	// with zstd's blocks.
	codecBytes = 128 << 10
	zstdBytes  = 4 * codecBytes
)

// codecs opens decompressors and reuses expensive ones. The zero value works.
type codecs struct{ zstd sync.Pool }

// errCodec is the error of data that their codec cannot decode.
var errCodec = errors.New("it cannot be decompressed")

// cost returns the memory that a decompressor of data needs, and the decompressed size if the data
// state it. It does not allocate.
func (c *codecs) cost(codec kafka.Compression, data []byte) (bytes, hint int64, err error) {
	switch codec {
	case kafka.Gzip:
		if len(data) >= 4 {
			hint = int64(binary.LittleEndian.Uint32(data[len(data)-4:]))
		}
		return codecBytes, hint, nil
	case kafka.Snappy:
		return snappyCost(data)
	case kafka.Lz4:
		return codecBytes + lz4Blocks(data), 0, nil
	case kafka.Zstd:
		var h zstd.Header
		if err := h.Decode(data); err != nil {
			return 0, 0, fmt.Errorf("%w: %w", errCodec, err)
		}
		window := h.WindowSize
		if h.SingleSegment {
			window = h.FrameContentSize
		}
		if window > mostWindow {
			return 0, 0, fmt.Errorf("%w: its window of %d bytes is more than %d", errCodec, window, mostWindow)
		}
		if h.HasFCS {
			hint = int64(min(h.FrameContentSize, 1<<40))
		}
		return zstdBytes + int64(window), hint, nil
	}
	return 0, 0, fmt.Errorf("%w: codec %d is not supported", errCodec, codec)
}

// lz4Blocks returns the memory of two blocks of an LZ4 frame.
func lz4Blocks(data []byte) int64 {
	const descriptor, most = 5, 4 << 20
	if len(data) <= descriptor {
		return 2 * most
	}
	return 2 * min(int64(most), 1<<(8+2*int64(data[descriptor]>>4&7)))
}

// open opens a decompressor whose cost is known.
func (c *codecs) open(codec kafka.Compression, data []byte, cost int64) (io.ReadCloser, error) {
	switch codec {
	case kafka.Snappy:
		return newSnappyReader(data), nil
	case kafka.Zstd:
		return c.openZstd(data, cost)
	}
	return codec.Codec().NewReader(bytes.NewReader(data)), nil
}

// zstdReader returns its decoder for reuse when it is closed.
type zstdReader struct {
	*zstd.Decoder
	codecs *codecs
	keep   bool
}

func (c *codecs) openZstd(data []byte, cost int64) (io.ReadCloser, error) {
	// Later frames must not have larger windows, because the first frame's window was counted.
	window := uint64(max(cost-zstdBytes, zstd.MinWindowSize))
	d, _ := c.zstd.Get().(*zstd.Decoder)
	if d == nil {
		var err error
		if d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true)); err != nil {
			return nil, err
		}
	}
	if err := d.ResetWithOptions(bytes.NewReader(data), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderMaxMemory(window)); err != nil {
		return nil, fmt.Errorf("%w: %w", errCodec, err)
	}
	return &zstdReader{d, c, window <= keptWindow}, nil
}

// Close implements io.Closer.
func (z *zstdReader) Close() error {
	if !z.keep {
		z.Decoder.Close()
		return nil
	}
	if err := z.Decoder.Reset(nil); err == nil {
		z.codecs.zstd.Put(z.Decoder)
	}
	return nil
}

// snappyFramed is the header of data from snappy-java: blocks preceded by their lengths. Other
// clients write one block.
var snappyFramed = []byte{130, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

const snappyHeader = 16

// snappyReader decompresses block by block.
type snappyReader struct {
	data   []byte
	framed bool
	// block is the memory for one block, rest its unread part.
	block, rest []byte
}

func newSnappyReader(data []byte) *snappyReader {
	if len(data) >= snappyHeader && bytes.Equal(data[:8], snappyFramed) {
		return &snappyReader{data: data[snappyHeader:], framed: true}
	}
	return &snappyReader{data: data}
}

// next returns the next compressed block and its decompressed size.
func (s *snappyReader) next() (block []byte, size int, err error) {
	block, s.data = s.data, nil
	if s.framed {
		if len(block) < 4 {
			return nil, 0, io.ErrUnexpectedEOF
		}
		n := binary.BigEndian.Uint32(block)
		if int64(n) > int64(len(block)-4) {
			return nil, 0, io.ErrUnexpectedEOF
		}
		block, s.data = block[4:4+n], block[4+n:]
		if len(block) == 0 {
			return nil, 0, nil
		}
	}
	// 3 bytes of a block expand to at most 64, so a block that claims more is corrupt.
	if size, err = snappy.DecodedLen(block); err != nil || size > 22*len(block) {
		return nil, 0, fmt.Errorf("%w: %w", errCodec, snappy.ErrCorrupt)
	}
	return block, size, nil
}

// snappyCost returns the decompressed size of the largest block, and of all blocks.
func snappyCost(data []byte) (largest, all int64, err error) {
	s := newSnappyReader(data)
	for len(s.data) > 0 {
		_, size, err := s.next()
		if err != nil {
			return 0, 0, fmt.Errorf("%w: %w", errCodec, err)
		}
		largest, all = max(largest, int64(size)), all+int64(size)
	}
	return largest, all, nil
}

// Read implements io.Reader.
func (s *snappyReader) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if len(s.data) == 0 {
			return 0, io.EOF
		}
		block, size, err := s.next()
		if err != nil {
			return 0, err
		}
		if size == 0 {
			continue
		}
		if size <= len(p) { // no copy
			out, err := snappy.Decode(p[:size:size], block)
			if err != nil {
				return 0, err
			}
			return copy(p, out), nil
		}
		if s.block, err = snappy.Decode(s.block[:cap(s.block)], block); err != nil {
			return 0, err
		}
		s.rest = s.block
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (s *snappyReader) Close() error { return nil }

// inflateError is the error of a record larger than recordLimit.
type inflateError struct {
	codec string
	size  int64
}

func (e *inflateError) Error() string {
	return fmt.Sprintf("a %s batch holds a record of %d bytes, more than %d: it is refused, as it might exhaust the memory", e.codec, e.size, recordLimit)
}
