package npy

import (
	"archive/zip"
	"bufio"
	"context"
	"slices"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// vectorNames are common names of the vectors in an archive with several arrays.
var vectorNames = []string{"embeddings", "embedding", "vectors", "features", "X"}

// maxBeside is the maximum number of bytes of arrays that become additional columns.
const maxBeside = 1 << 30

// bundle reads the vectors of an archive. Arrays of one dimension with as many elements as there
// are vectors, such as labels, become additional columns.
type bundle struct {
	table.Reader
	rows   int64
	beside []table.Column
}

// vectorsOf returns the name of the array of vectors in an archive with several arrays, "" if none
// has such a name.
func vectorsOf(arrays []string) string {
	for _, name := range vectorNames {
		if slices.Contains(arrays, name) {
			return name
		}
	}
	return ""
}

// newBundle reads the additional columns.
func newBundle(in *input.Source, z *zip.Reader, r table.Reader, vectors string) (table.Reader, error) {
	counted, is := r.(table.Counted)
	if !is {
		return r, nil
	}
	b := &bundle{Reader: r}
	b.rows, _ = counted.NumRows()
	for _, m := range z.File {
		name := m.Name[:len(m.Name)-len(".npy")]
		if name == vectors || m.UncompressedSize64 > maxBeside {
			continue
		}
		c, ok, err := b.column(in, m, name)
		if err != nil {
			return nil, err
		}
		if ok {
			b.beside = append(b.beside, c)
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
