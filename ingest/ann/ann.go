// Package ann reads file formats of nearest-neighbour benchmarks. In .fvecs, .bvecs and .ivecs each
// vector comes after its length, an int32. In .fbin, .u8bin, .i8bin and .ibin the file begins with
// the number of vectors and their length, two int32. Numbers are little endian. The formats have no
// signature; they are recognised by the file's extension and a plausible size.
package ann

import (
	"encoding/binary"
	"io"
	"math"
	"path/filepath"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

type kind struct {
	dt    arrow.DataType
	width int
	each  bool // the length comes before each vector
}

var kinds = map[string]kind{
	".fvecs": {arrow.PrimitiveTypes.Float32, 4, true}, ".bvecs": {arrow.PrimitiveTypes.Uint8, 1, true}, ".ivecs": {arrow.PrimitiveTypes.Int32, 4, true},
	".fbin": {arrow.PrimitiveTypes.Float32, 4, false}, ".u8bin": {arrow.PrimitiveTypes.Uint8, 1, false},
	".i8bin": {arrow.PrimitiveTypes.Int8, 1, false}, ".ibin": {arrow.PrimitiveTypes.Int32, 4, false},
}

// kindOf returns the format for a file's extension.
func kindOf(path string) (kind, bool) {
	k, ok := kinds[filepath.Ext(input.Unpacked(path))]
	return k, ok
}

// maxDim is the maximum length of vectors for which a file is recognised.
const maxDim = 1 << 20

// Is reports whether a file has one of these formats, by its name and its first bytes.
func Is(in *input.Source, head []byte) (format input.Format, is bool) {
	k, ok := kindOf(in.Origin.File)
	if !ok || len(head) < 8 {
		return "", false
	}
	if k.each {
		d := binary.LittleEndian.Uint32(head)
		return input.Vecs, d > 0 && d <= maxDim
	}
	d := binary.LittleEndian.Uint32(head[4:])
	return input.Bin, d > 0 && d <= maxDim
}

// NewReader reads either form.
func NewReader(in *input.Source, batchRows int) (table.Reader, error) {
	k, _ := kindOf(in.Origin.File)
	f, size, err := in.Seekable(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	var head [8]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, input.ReadError(in.Origin, err)
	}
	e := dense.Element{Dt: k.dt, Width: k.width}
	if !k.each {
		rows, dim := int64(binary.LittleEndian.Uint32(head[:])), int64(binary.LittleEndian.Uint32(head[4:]))
		if want := 8 + rows*dim*int64(k.width); want != size {
			return nil, in.Origin.Bad("its header says %d vectors of %d numbers, which take %d bytes, and it has %d", rows, dim, want, size).
				Suggest("the file is truncated, or its name has the wrong extension")
		}
		r, err := dense.NewReader(in, e, []int64{rows, dim}, batchRows)
		if err == nil {
			r.From(io.NewSectionReader(f, 8, size-8))
		}
		return r, err
	}
	dim := int64(binary.LittleEndian.Uint32(head[:]))
	row := 4 + dim*int64(k.width)
	if size%row != 0 {
		return nil, in.Origin.Bad("its first vector has %d numbers, and its %d bytes are no whole number of such vectors", dim, size).
			Suggest("the file is truncated, or its name has the wrong extension")
	}
	r, err := dense.NewReader(in, e, []int64{size / row, dim}, batchRows)
	if err == nil {
		r.From(&stripped{in: io.NewSectionReader(f, 0, size), origin: in.Origin, dim: uint32(dim), row: int(row) - 4})
	}
	return r, err
}

// stripped returns vectors without the lengths before them.
type stripped struct {
	in     io.Reader
	origin table.Origin
	dim    uint32
	row    int // bytes of a vector
	left   int // bytes left of the current vector
	rows   int
}

func (s *stripped) Read(p []byte) (int, error) {
	if s.left == 0 {
		var head [4]byte
		if _, err := io.ReadFull(s.in, head[:]); err != nil {
			return 0, err
		}
		if d := binary.LittleEndian.Uint32(head[:]); d != s.dim {
			return 0, s.origin.BadAt(s.rows, "", "the vector has %d numbers, %d are expected", d, s.dim).Suggest("every vector of a map has one length")
		}
		s.rows, s.left = s.rows+1, s.row
	}
	n, err := s.in.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}
