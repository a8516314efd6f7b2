package npy

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"io"
	"slices"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// vectorNames are common names of the vectors in an archive with several arrays.
var vectorNames = []string{"embeddings", "embedding", "vectors", "features", "X"}

// maxBeside is the maximum number of arrays that become additional columns. Each is decompressed
// beside the vectors.
const maxBeside = 1000

// bundle reads the vectors of an archive. Arrays of one dimension with as many elements as there
// are vectors, such as labels, become additional columns.
type bundle struct {
	table.Reader
	origin table.Origin
	rows   int64
	beside []besideArray
}

// besideArray is an array that becomes an additional column.
type besideArray struct {
	name  string
	array *dense.Reader
	part  io.Closer
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
	b := &bundle{Reader: r, origin: in.Origin}
	b.rows, _ = counted.NumRows()
	seen := map[string]bool{vectors: true, dense.VectorName: true}
	for _, m := range z.File {
		name := m.Name[:len(m.Name)-len(".npy")]
		if seen[name] {
			continue
		}
		seen[name] = true
		if err := b.add(in, m, name); err != nil {
			b.closeParts()
			return nil, err
		}
	}
	return b, nil
}

// add opens an array of one dimension, and leaves others out.
func (b *bundle) add(in *input.Source, m *zip.File, name string) error {
	part, err := m.Open()
	if err != nil {
		return input.ReadError(in.Origin, err)
	}
	source := &input.Source{Reader: bufio.NewReader(part), Origin: in.Origin}
	e, dims, err := header(source, in.Origin)
	if err != nil || len(dims) != 1 || dims[0] != b.rows { // for example an array of Python objects
		return part.Close()
	}
	array, err := dense.NewReader(source, e.Element, dims, 1)
	if err != nil {
		return errors.Join(err, part.Close())
	}
	b.beside = append(b.beside, besideArray{name, array, part})
	if len(b.beside) > maxBeside {
		return in.Origin.Bad("it holds more than %d arrays beside the vectors", maxBeside).Suggest("save fewer in one archive")
	}
	return nil
}

// Close implements table.Reader.
func (b *bundle) Close() error { return errors.Join(b.closeParts(), b.Reader.Close()) }

func (b *bundle) closeParts() error {
	var errs []error
	for _, a := range b.beside {
		errs = append(errs, a.part.Close())
	}
	b.beside = nil
	return errors.Join(errs...)
}

// NumRows returns the number of vectors.
func (b *bundle) NumRows() (int64, bool) { return b.rows, true }

// Schema returns the vectors followed by the additional columns.
func (b *bundle) Schema() table.Schema {
	s := slices.Clone(b.Reader.Schema())
	for _, a := range b.beside {
		f := a.array.Schema()[0]
		f.Name = a.name
		s = append(s, f)
	}
	return s
}

// Next returns the next vectors with the values of the additional columns. After the last vectors
// it checks that the arrays end, too.
func (b *bundle) Next(ctx context.Context) (*table.Table, error) {
	t, err := b.Reader.Next(ctx)
	if err != nil {
		for _, a := range b.beside {
			if err != io.EOF {
				break
			}
			_, err = a.array.Next(ctx)
		}
		return nil, err
	}
	columns := make([]table.Column, len(b.beside))
	for i, a := range b.beside {
		c, err := a.array.Take(ctx, t.Len())
		if err != nil {
			return nil, err
		}
		columns[i] = c.Renamed(a.name)
	}
	return t.Beside(columns...), nil
}
