package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn/hnsw"
)

// Write writes s in the file format. It returns an error if s is not valid (Validate) or w fails.
// The bytes are a function of s only.
func Write(w io.Writer, s *Snapshot) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("snapshot: refusing to write: %w", err)
	}
	all := slices.Concat(fields, s.partFields())
	if len(all) > maxBlocks {
		return fmt.Errorf("snapshot: refusing to write %d blocks", len(all))
	}
	var contents []content
	var blocks []Block
	for _, f := range all {
		if c := f.put(s); c.rows != 0 {
			contents = append(contents, c)
			blocks = append(blocks, Block{Name: f.name, Type: f.typ, Rows: uint64(c.rows), Cols: uint64(c.cols)})
		}
	}
	if err := measure(blocks, contents); err != nil {
		return err
	}
	at := align(headerSize + uint64(len(blocks))*entrySize)
	for i := range blocks {
		blocks[i].Offset = at
		at = align(at + blocks[i].Length)
	}
	out := &counter{w: w}
	version, _ := s.format()
	if _, err := out.Write(head(version, blocks, at)); err != nil {
		return err
	}
	for i, c := range contents {
		if err := out.padTo(blocks[i].Offset); err != nil {
			return err
		}
		if _, err := encode(out, c.data); err != nil {
			return err
		}
	}
	return out.padTo(at)
}

// measure sets the lengths and checksums of blocks, and the rows of blocks that count bytes.
func measure(blocks []Block, contents []content) error {
	failed := make([]error, len(blocks))
	par.Do(0, len(blocks), func(i int) {
		b, crc := &blocks[i], crc32.New(castagnoli)
		n, err := encode(crc, contents[i].data)
		if contents[i].rows == bytesOfData {
			b.Rows = uint64(n)
		}
		b.Length, b.CRC, failed[i] = uint64(n), crc.Sum32(), err
	})
	return errors.Join(failed...)
}

// head returns the header and the directory of a file of the given version and size.
func head(format uint32, blocks []Block, size uint64) []byte {
	le := binary.LittleEndian
	out := make([]byte, headerSize+len(blocks)*entrySize)
	for i, b := range blocks {
		e := out[headerSize+i*entrySize:]
		copy(e[:nameSize], b.Name)
		le.PutUint32(e[24:], uint32(b.Type))
		le.PutUint32(e[28:], b.CRC)
		le.PutUint64(e[32:], b.Rows)
		le.PutUint64(e[40:], b.Cols)
		le.PutUint64(e[48:], b.Offset)
		le.PutUint64(e[56:], b.Length)
	}
	copy(out, magic)
	le.PutUint32(out[8:], format)
	le.PutUint32(out[12:], uint32(len(blocks)))
	le.PutUint64(out[16:], size)
	le.PutUint32(out[24:], crc32.Checksum(out[headerSize:], castagnoli))
	le.PutUint32(out[28:], crc32.Checksum(out[:28], castagnoli))
	return out
}

// encode writes data as little-endian elements and returns the number of bytes.
func encode(w io.Writer, data any) (n int, err error) {
	switch v := data.(type) {
	case []byte:
		return w.Write(v)
	case *hnsw.Index:
		return encodeLinks(w, v)
	case []string:
		return chunked(w, v, func(b []byte, s string) []byte {
			return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
		})
	case []uint32:
		return chunked(w, v, binary.LittleEndian.AppendUint32)
	case []uint64:
		return chunked(w, v, binary.LittleEndian.AppendUint64)
	case []int64:
		return chunked(w, v, func(b []byte, x int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(x)) })
	case []float32:
		return chunked(w, v, func(b []byte, x float32) []byte { return binary.LittleEndian.AppendUint32(b, math.Float32bits(x)) })
	case reference:
		err = v.eachPart(func(_ int, part vec.Matrix[float32]) error {
			k, err := encode(w, part.Data)
			n += k
			return err
		})
		return n, err
	case []float64:
		return chunked(w, v, func(b []byte, x float64) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(x)) })
	}
	return 0, fmt.Errorf("snapshot: no encoding for %T", data)
}

// chunked writes the elements of v through a buffer of fixed size.
func chunked[T any](w io.Writer, v []T, put func([]byte, T) []byte) (n int, err error) {
	const full = 1 << 16
	buf := make([]byte, 0, full+64)
	for i, x := range v {
		buf = put(buf, x)
		if len(buf) >= full || i == len(v)-1 {
			k, err := w.Write(buf)
			n += k
			if err != nil {
				return n, err
			}
			buf = buf[:0]
		}
	}
	return n, nil
}

// counter counts the bytes that it writes.
type counter struct {
	w io.Writer
	n uint64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += uint64(n)
	return n, err
}

// padTo writes zeros up to the given offset.
func (c *counter) padTo(offset uint64) error {
	var zeros [alignment]byte
	_, err := c.Write(zeros[:offset-c.n])
	return err
}
