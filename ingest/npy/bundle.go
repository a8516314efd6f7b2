package npy

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// vectorNames are common names of the vectors in an archive with several arrays.
var vectorNames = []string{"embeddings", "embedding", "vectors", "features", "X", "data", "X_train", "x_train", "x"}

// maxBeside is the maximum number of arrays that become additional columns. Each is decompressed
// beside the vectors.
const maxBeside = 1000

// bundle reads the vectors of an archive. Arrays of one dimension with as many elements as there
// are vectors, such as labels, become additional columns.
type bundle struct {
	table.Reader
	file, vectors string
	rows          int64
	beside        []besideArray
	unread        []string // the other arrays
}

// besideArray is an array that becomes an additional column.
type besideArray struct {
	name  string
	array *dense.Reader
	part  io.Closer
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
	seen := map[string]bool{vectors: true, dense.VectorName: true}
	for _, m := range z.File {
		name := nameOf(m)
		if seen[name] {
			continue
		}
		seen[name] = true
		if err := b.add(in, m, name); err != nil {
			return nil, errors.Join(err, b.closeParts())
		}
	}
	return b, nil
}

// add opens an array of one dimension. Others are only listed.
func (b *bundle) add(in *input.Source, m *zip.File, name string) error {
	part, err := m.Open()
	if err != nil {
		return input.ReadError(in.Origin, err)
	}
	source := &input.Source{Reader: bufio.NewReader(part), Origin: in.Origin}
	e, dims, err := header(source, in.Origin)
	if err != nil || len(dims) != 1 || dims[0] != b.rows { // for example an array of Python objects
		b.unread = append(b.unread, name)
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

// Reading describes which arrays are read.
func (b *bundle) Reading() string {
	out := fmt.Sprintf("vectors: the array %s", b.vectors)
	if len(b.beside) > 0 {
		names := make([]string, len(b.beside))
		for i, c := range b.beside {
			names[i] = c.name
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
