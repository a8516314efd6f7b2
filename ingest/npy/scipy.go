package npy

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"io"
	"slices"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/matrix"
	"unfold/ingest/table"
	"unfold/sparse"
)

// isSparse reports whether the arrays are those of a sparse matrix written by
// scipy.sparse.save_npz.
func isSparse(arrays []string) bool {
	return !slices.ContainsFunc([]string{"format", "shape", "data"}, func(name string) bool { return !slices.Contains(arrays, name) })
}

// sparseArchive reads one sparse matrix.
type sparseArchive struct {
	o      table.Origin
	z      *zip.Reader
	format string
	shape  matrix.Shape
}

// newSparseReader reads an archive of scipy.sparse.save_npz: csr, csc or coo.
func newSparseReader(in *input.Source, z *zip.Reader, batchRows int) (table.Reader, error) {
	s := &sparseArchive{o: in.Origin, z: z}
	format, err := s.open("format")
	if err != nil {
		return nil, err
	}
	defer format.Close()
	text := make([]byte, min(format.Width, 64))
	if _, err := io.ReadFull(format.in, text); err != nil {
		return nil, input.ReadError(s.o, err)
	}
	for _, b := range text {
		if b != 0 { // strings of 4-byte characters have zeros in between
			s.format += string(rune(b))
		}
	}
	if s.format != "csr" && s.format != "csc" && s.format != "coo" {
		return nil, s.o.Bad("it holds a sparse matrix in the format %q, which is not read", table.Clip(s.format)).Suggest("save m.tocsr()")
	}
	sides, err := numbers[int](s, "shape")
	if err != nil {
		return nil, err
	}
	if len(sides) != 2 {
		return nil, s.o.Bad("it holds a sparse array of %d dimensions, want 2", len(sides)).Suggest("save an array of rows")
	}
	data, err := s.open("data")
	if err != nil {
		return nil, err
	}
	data.Close()
	s.shape = matrix.Shape{Rows: int64(sides[0]), Columns: int64(sides[1]), Entries: data.count}
	return matrix.NewReader(s.o, s.shape, batchRows, s.read, in.Close)
}

// read reads the matrix.
func (s *sparseArchive) read(context.Context) (*sparse.Rows, error) {
	a, err := s.stored()
	if err != nil {
		return nil, err
	}
	return matrix.Single(s.o, a)
}

// stored returns the matrix before rounding to single precision.
func (s *sparseArchive) stored() (*sparse.Rows, error) {
	n, m := int(s.shape.Rows), int(s.shape.Columns)
	values, err := numbers[float64](s, "data")
	if err != nil {
		return nil, err
	}
	if s.format == "coo" {
		rows, err := numbers[int32](s, "row")
		if err != nil {
			return nil, err
		}
		columns, err := numbers[int32](s, "col")
		if err != nil {
			return nil, err
		}
		return matrix.OfTriplets(s.o, n, m, rows, columns, values)
	}
	start, err := numbers[int](s, "indptr")
	if err != nil {
		return nil, err
	}
	index, err := numbers[int](s, "indices")
	if err != nil {
		return nil, err
	}
	if s.format == "csr" {
		return matrix.OfRows(s.o, "row", n, m, start, index, values)
	}
	t, err := matrix.OfRows(s.o, "column", m, n, start, index, values)
	if err != nil {
		return nil, err
	}
	return t.Transpose(), nil
}

// part is an array of an archive, positioned at its elements.
type part struct {
	io.Closer
	in io.Reader
	dense.Element
	count int64
}

// open opens an array of the archive.
func (s *sparseArchive) open(name string) (*part, error) {
	at := slices.IndexFunc(s.z.File, func(f *zip.File) bool { return f.Name == name+".npy" })
	if at < 0 {
		return nil, s.o.Bad("it holds a sparse matrix without its array %q", name).Suggest("save it by scipy.sparse.save_npz")
	}
	f, err := s.z.File[at].Open()
	if err != nil {
		return nil, input.ReadError(s.o, err)
	}
	e, dims, err := header(f, s.o)
	if err != nil {
		f.Close()
		return nil, err
	}
	p := &part{Closer: f, in: f, Element: e.Element, count: 1}
	for _, d := range dims {
		p.count *= d
	}
	stored := int64(s.z.File[at].UncompressedSize64)
	if len(dims) > 1 || p.count < 0 || p.count > stored/int64(p.Width) {
		f.Close()
		return nil, s.o.Bad("its array %q has the shape %v in %d bytes", name, dims, stored)
	}
	return p, nil
}

// believed is the initial limit of memory in elements, because a header may claim any number. Later
// the limit is 64 times the number of elements read.
const believed = 1 << 20

// numbers reads all elements of an array.
func numbers[T int | int32 | float64](s *sparseArchive, name string) ([]T, error) {
	p, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if p.Text != 0 {
		return nil, s.o.Bad("its array %q holds texts, not numbers", name)
	}
	const piece = 1 << 13
	out := make([]T, 0, min(p.count, believed))
	raw := make([]byte, piece*p.Width)
	for left := p.count; left > 0; {
		n := int(min(left, piece))
		if _, err := io.ReadFull(p.in, raw[:n*p.Width]); err != nil {
			return nil, input.ReadError(s.o, err)
		}
		if len(out)+n > cap(out) {
			out = slices.Grow(out, int(min(left, int64(len(out))*64)))
		}
		dense.Swap(raw[:n*p.Width], p.Width, p.Big)
		out = appendNumbers(out, raw[:n*p.Width], p, n)
		left -= int64(n)
	}
	return out, nil
}

// appendNumbers appends n elements. A whole number that does not fit into int32 becomes -1, which
// is an invalid index.
func appendNumbers[T int | int32 | float64](out []T, raw []byte, p *part, n int) []T {
	if p.Dt.Name() == "int64" {
		for i := range n {
			v := int64(binary.LittleEndian.Uint64(raw[8*i:]))
			t := T(v)
			if _, narrow := any(t).(int32); narrow && int64(t) != v {
				t = T(0) - 1
			}
			out = append(out, t)
		}
		return out
	}
	get := table.NumberGetter(table.FixedArray(p.Dt, n, raw))
	for i := range n {
		out = append(out, T(get(i)))
	}
	return out
}
