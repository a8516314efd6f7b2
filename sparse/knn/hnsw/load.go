package hnsw

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"unfold/internal/vec"
)

// ErrFormat is wrapped by the errors of LoadLinks if the bytes are not a complete and valid index;
// other errors come from the reader.
var ErrFormat = errors.New("not a sound index")

// LoadLinks decodes the output of SaveLinks for an index over the rows of x, and copies the rows.
// Rows of x that were vacant are ignored. It reads no byte more than the index has. For any bytes,
// it returns a valid index or an error, and allocates at most a few times the size of the input.
func LoadLinks(from io.Reader, x vec.Matrix[float32]) (*Index, error) {
	r := &reader{from: from, sum: crc32.New(castagnoli)}
	ix, err := r.index(x)
	if err == nil {
		err = r.err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: it ends too early", ErrFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("hnsw: load: %w", err)
	}
	return ix, nil
}

// index decodes an index. If it returns no error, r.err may still be set.
func (r *reader) index(x vec.Matrix[float32]) (*Index, error) {
	if string(r.bytes(len(magic))) != magic && r.err == nil {
		return nil, fmt.Errorf("%w: no %s at its beginning", ErrFormat, magic)
	}
	if v := r.number(); v != version && r.err == nil {
		return nil, fmt.Errorf("%w: version %d, this program reads %d", ErrFormat, v, version)
	}
	var h header
	r.fixed(&h)
	if r.err != nil {
		return nil, r.err
	}
	ix, err := h.index()
	if err != nil {
		return nil, err
	}
	if int(h.Dim) != x.Cols || int(h.Rows) != x.Rows {
		return nil, fmt.Errorf("%w: its header is of %d rows of dimension %d, there are %d of %d", ErrFormat, h.Rows, h.Dim, x.Rows, x.Cols)
	}
	r.graph(ix, h)
	if r.err != nil {
		return nil, r.err
	}
	ix.copyRows(x)
	want := r.sum.Sum32()
	if got := r.number(); got != want && r.err == nil {
		return nil, fmt.Errorf("%w: its checksum is %08x, the file says %08x", ErrFormat, want, got)
	}
	if r.err != nil {
		return nil, r.err
	}
	return ix, ix.sound()
}

// index returns an empty index with the parameters of the header.
func (h header) index() (*Index, error) {
	if h.Rows >= math.MaxInt32 || h.Blocks >= math.MaxInt32 || h.Layers > mostLevels || h.Vacant > h.Rows || h.Heights > mostLevels ||
		h.M < leastM || h.EfConstruction == 0 || h.Dim > mostDim || h.M > mostM || h.EfConstruction > mostEf || h.Ef > mostEf {
		return nil, fmt.Errorf("%w: its header is %+v", ErrFormat, h)
	}
	ix, err := New(int(h.Dim), Settings{M: int(h.M), EfConstruction: int(h.EfConstruction), Ef: int(h.Ef), Seed: h.Seed})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	ix.drawn = h.Drawn
	return ix, nil
}

// graph decodes everything after the header.
func (r *reader) graph(ix *Index, h header) {
	rows, blocks := int(h.Rows), int(h.Blocks)
	ix.level = r.bytes(rows)
	ix.kids = r.bytes(rows)
	ix.tower = r.numbers(rows)
	ix.base = r.numbers(rows * ix.width(0))
	ix.upperKids = r.bytes(blocks)
	ix.upper = r.numbers(blocks * ix.set.M)
	ix.roots = r.numbers(int(h.Layers))
	ix.vacant = r.numbers(int(h.Vacant))
	for range h.Heights {
		ix.vacantTowers = append(ix.vacantTowers, r.numbers(int(r.number())))
	}
}

// copyRows copies the rows of x.
func (ix *Index) copyRows(x vec.Matrix[float32]) {
	ix.rows = make([]float32, x.Rows*ix.stride)
	for r, l := range ix.level {
		if l != levelVacant {
			copy(ix.vector(int32(r)), x.Row(r))
		}
	}
}

// sound validates the decoded index and computes the fields that are not stored.
func (ix *Index) sound() error {
	for r, l := range ix.level {
		if err := checkValues(ix.vector(int32(r)), ix.dim); err != nil {
			return fmt.Errorf("%w: row %d holds a value that is not finite", ErrFormat, r)
		}
		if l != levelVacant {
			ix.live++
		}
		if l != levelTwin {
			continue
		}
		first := ix.links(0, int32(r))[placeFirst]
		if !ix.isMember(0, first) {
			return fmt.Errorf("%w: row %d is a twin of %d", ErrFormat, r, first)
		}
		ix.addTwin(first, int32(r))
	}
	if err := ix.verify(); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil
}

// reader decodes values, updates the checksum and keeps the first error. After an error it returns
// zeros.
type reader struct {
	from io.Reader
	sum  hash.Hash32
	buf  [bufferSize]byte
	err  error
}

// next returns the next n bytes, at most a full buffer.
func (r *reader) next(n int) []byte {
	b := r.buf[:n]
	if r.err == nil {
		_, r.err = io.ReadFull(r.from, b)
	}
	if r.err != nil {
		clear(b)
	}
	r.sum.Write(b)
	return b
}

func (r *reader) bytes(n int) []byte {
	var out []byte
	for len(out) < n && r.err == nil {
		out = append(out, r.next(min(n-len(out), bufferSize))...)
	}
	return out
}

func (r *reader) number() uint32 { return binary.LittleEndian.Uint32(r.next(4)) }

func (r *reader) numbers(n int) []int32 {
	var out []int32
	if b, known := r.from.(*bytes.Reader); known {
		out = make([]int32, 0, min(n, b.Len()/4))
	}
	for len(out) < n && r.err == nil {
		b := r.next(4 * min(n-len(out), bufferSize/4))
		for ; len(b) > 0; b = b[4:] {
			out = append(out, int32(binary.LittleEndian.Uint32(b)))
		}
	}
	return out
}

func (r *reader) fixed(v any) {
	if _, err := binary.Decode(r.next(binary.Size(v)), binary.LittleEndian, v); err != nil {
		r.err = errors.Join(r.err, err)
	}
}
