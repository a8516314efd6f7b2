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

// ErrFormat is wrapped by Load's errors if the bytes are not a complete and valid index; other
// errors come from the reader.
var ErrFormat = errors.New("not a sound index")

// Load decodes the output of Save, and reads no byte more. For any bytes, it returns a valid index
// or an error, and allocates at most a few times the size of the input.
func Load(from io.Reader) (*Index, error) { return load(from, nil) }

// LoadLinks decodes the output of SaveLinks for an index over the rows of x, as Load does, and
// copies the rows. Rows of x that were vacant are ignored.
func LoadLinks(from io.Reader, x vec.Matrix[float32]) (*Index, error) { return load(from, &x) }

// load decodes an index. x has its rows; if x is nil, the rows follow in the input.
func load(from io.Reader, x *vec.Matrix[float32]) (*Index, error) {
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
func (r *reader) index(x *vec.Matrix[float32]) (*Index, error) {
	kind := magic
	if x != nil {
		kind = magicLinks
	}
	if string(r.bytes(len(kind))) != kind && r.err == nil {
		return nil, fmt.Errorf("%w: no %s at its beginning", ErrFormat, kind)
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
	if x != nil && (int(h.Dim) != x.Cols || int(h.Rows) != x.Rows) {
		return nil, fmt.Errorf("%w: its header is of %d rows of dimension %d, there are %d of %d", ErrFormat, h.Rows, h.Dim, x.Rows, x.Cols)
	}
	r.graph(ix, h)
	if x == nil {
		r.vectors(ix, h)
	} else if r.err == nil {
		ix.copyRows(*x)
	}
	if r.err != nil {
		return nil, r.err
	}
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

// graph decodes everything after the header except the rows.
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

// vectors reads the rows.
func (r *reader) vectors(ix *Index, h header) {
	row := make([]float32, ix.stride)
	for range h.Rows {
		r.floats(row[:ix.dim])
		if r.err != nil {
			return
		}
		ix.rows = append(ix.rows, row...)
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

func (r *reader) floats(to []float32) {
	for len(to) > 0 {
		b := r.next(4 * min(len(to), bufferSize/4))
		for ; len(b) > 0; b, to = b[4:], to[1:] {
			to[0] = math.Float32frombits(binary.LittleEndian.Uint32(b))
		}
	}
}

func (r *reader) fixed(v any) {
	if _, err := binary.Decode(r.next(binary.Size(v)), binary.LittleEndian, v); err != nil {
		r.err = errors.Join(r.err, err)
	}
}
