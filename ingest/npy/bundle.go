package npy

import (
	"archive/zip"
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// vectorNames are common names of the vectors in an archive with several arrays.
var vectorNames = []string{"embeddings", "embedding", "vectors", "features", "X", "data", "X_train", "x_train", "x"}

// maxBeside is the maximum number of bytes of arrays that become additional columns.
const maxBeside = 1 << 30

// bundle reads the vectors of an archive. Arrays of one dimension with as many elements as there
// are vectors, such as labels, become additional columns.
type bundle struct {
	table.Reader
	file, vectors string
	rows          int64
	beside        []table.Column
	unread        []string // the other arrays
}

// vectorsOf returns the name of the array of vectors in an archive with several arrays: the first of
// vectorNames, or else the only array of more than one dimension. It is "" if there is none.
func vectorsOf(z *zip.Reader, arrays []string) string {
	for _, name := range vectorNames {
		if slices.Contains(arrays, name) {
			return name
		}
	}
	only := ""
	for _, m := range z.File {
		if dimensions(m) < 2 {
			continue
		}
		if only != "" {
			return ""
		}
		only = nameOf(m)
	}
	return only
}

// nameOf returns the name of an array in an archive.
func nameOf(m *zip.File) string { return strings.TrimSuffix(m.Name, ".npy") }

// dimensions returns the number of dimensions of an array, 0 if it is none of numbers or text.
func dimensions(m *zip.File) int {
	part, err := m.Open()
	if err != nil {
		return 0
	}
	defer part.Close()
	_, dims, err := header(part, table.Origin{})
	if err != nil {
		return 0
	}
	return len(dims)
}

// newBundle reads the additional columns.
func newBundle(in *input.Source, z *zip.Reader, r table.Reader, vectors string) (table.Reader, error) {
	counted, is := r.(table.Counted)
	if !is {
		return r, nil
	}
	b := &bundle{Reader: r, vectors: vectors}
	b.file, _, _ = input.ArchiveMember(in.Origin.File)
	b.rows, _ = counted.NumRows()
	for _, m := range z.File {
		name := nameOf(m)
		if name == vectors {
			continue
		}
		var c table.Column
		ok := false
		if m.UncompressedSize64 <= maxBeside {
			var err error
			if c, ok, err = b.column(in, m, name); err != nil {
				return nil, err
			}
		}
		if ok {
			b.beside = append(b.beside, c)
		} else {
			b.unread = append(b.unread, name)
		}
	}
	return b, nil
}

// column reads an array of one dimension; ok is false for others.
func (b *bundle) column(in *input.Source, m *zip.File, name string) (c table.Column, ok bool, err error) {
	part, err := m.Open()
	if err != nil {
		return c, false, input.ReadError(in.Origin, err)
	}
	defer part.Close()
	r, err := NewReader(&input.Source{Reader: bufio.NewReader(part), Origin: in.Origin}, 1<<16)
	if err != nil {
		return c, false, nil // for example an array of Python objects
	}
	if n, known := r.(table.Counted).NumRows(); !known || n != b.rows || r.Schema()[0].Name == dense.VectorName || name == dense.VectorName {
		return c, false, nil
	}
	var parts []table.Column
	for t, err := range table.All(context.Background(), r) {
		if err != nil {
			return c, false, err
		}
		parts = append(parts, t.At(0))
	}
	if len(parts) == 0 {
		return c, false, nil
	}
	if c, err = table.Concat(parts...); err != nil {
		return c, false, err
	}
	return c.Renamed(name), true, nil
}

// NumRows returns the number of vectors.
func (b *bundle) NumRows() (int64, bool) { return b.rows, true }

// Schema returns the vectors followed by the additional columns.
func (b *bundle) Schema() table.Schema {
	s := slices.Clone(b.Reader.Schema())
	for _, c := range b.beside {
		s = append(s, table.Field{Name: c.Name(), Type: c.DataType(), Kind: c.Kind()})
	}
	return s
}

// Next returns the next vectors with the values of the additional columns.
func (b *bundle) Next(ctx context.Context) (*table.Table, error) {
	t, err := b.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	from := int(t.Origin.Row)
	columns := make([]table.Column, len(b.beside))
	for i, c := range b.beside {
		columns[i] = c.Slice(from, from+t.Len())
	}
	return t.Beside(columns...), nil
}

// Reading describes which arrays are read.
func (b *bundle) Reading() string {
	out := fmt.Sprintf("vectors: the array %s", b.vectors)
	if len(b.beside) > 0 {
		names := make([]string, len(b.beside))
		for i, c := range b.beside {
			names[i] = c.Name()
		}
		out += fmt.Sprintf("; columns: %s", table.List(names))
	}
	if len(b.unread) > 0 {
		out += fmt.Sprintf("; not read: %s; %s:NAME takes another array alone", table.List(b.unread), table.Line(b.file))
	}
	return out
}

// Guesses returns what the user should know: that arrays are not read.
func (b *bundle) Guesses() []string {
	if len(b.unread) == 0 {
		return nil
	}
	return []string{b.Reading()}
}
