package cli

import (
	"context"
	"io"
	"slices"

	"unfold/ingest"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// surveyed describes the size of the rows in some files.
type surveyed struct {
	// rows is the number of rows in all files, dim the number of values in a vector.
	rows, dim int
	// entries is the number of stored values of sparse matrices, 0 if a file is not sparse.
	entries int
	// kept estimates the bytes per row of columns that pass through.
	kept int
	// left are the columns excluded by "*".
	left []ingest.Left
	// unknown names the files whose number of rows is unknown until they are read.
	unknown []string
}

// survey returns the size of files, from metadata where possible: the footers of Parquet and Arrow
// files, the headers of .npy and IDX files. It reads other files completely if may is set.
// Otherwise it returns ok = false for them.
func survey(ctx context.Context, p *program, paths []string, read ingest.ReadOptions, may bool) (s surveyed, ok bool, err error) {
	// Scaling does not change the length of vectors.
	m := read.Mapping
	m.Standardize, m.AsIs = false, true
	m.Columns = slices.Clone(m.Columns)
	for i := range m.Columns {
		m.Columns[i].Standardize = false
	}
	s.kept = keptBytes(read)
	if err := p.vet(ctx, paths...); err != nil {
		return s, false, err
	}
	var f *ingest.Fitter
	for _, path := range paths {
		if !may && input.ReadOnce(path) {
			return s, false, nil
		}
		r, err := ingest.Open(ctx, path, read.Options)
		if err != nil {
			return s, false, err
		}
		if f == nil {
			if f, err = ingest.FitterOf(ctx, r, m, path); err != nil {
				r.Close()
				return s, false, table.InFile(path, err)
			}
		}
		ok, err := s.countRows(ctx, p, path, f.Reader(r), f, may)
		r.Close()
		if err != nil || !ok {
			return s, false, err
		}
	}
	if s.rows == 0 {
		return s, false, &table.Error{Origin: table.Origin{File: paths[0]}, Row: -1, Problem: "there are no rows"}
	}
	e, err := f.Encoder()
	if err != nil {
		return s, false, err
	}
	s.entries += f.Entries()
	if s.dim, s.left = e.Dim(), f.Left(); s.dim <= read.Sparse {
		s.entries = 0 // rows become dense
	}
	return s, true, nil
}

func (s *surveyed) countRows(ctx context.Context, p *program, path string, r table.Reader, f *ingest.Fitter, may bool) (bool, error) {
	if m, is := ingest.SparseOf(r); is {
		n, _ := m.NumRows()
		s.rows, s.entries = s.rows+int(n), s.entries+int(m.Entries())
		return true, nil
	}
	rows, known := table.RowsOf(r)
	if !known || f.NeedsPass() {
		if !may {
			return false, nil
		}
		if !known {
			s.unknown = append(s.unknown, path)
		}
	}
	var n int64
	for {
		if known && !f.NeedsPass() && (f.Settled() || n == rows) {
			s.rows += int(rows)
			return true, nil
		}
		t, err := r.Next(ctx)
		if err == io.EOF {
			s.rows += int(n)
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if err := f.Add(t); err != nil {
			return false, err
		}
		if n == 0 && (!known || f.NeedsPass()) {
			p.progress.Stage("survey", "rows", 0)
		}
		if n += int64(t.Len()); !known || f.NeedsPass() {
			p.progress.Set(n)
		}
	}
}

// keptBytes estimates the memory per row of columns that pass through.
func keptBytes(read ingest.ReadOptions) int {
	const column = 24 // a number, or a short text with its offset; twice while columns are joined
	count := len(read.Mapping.Keep) + len(read.LabelFiles)
	for _, name := range []string{read.Mapping.ID, read.Mapping.Label} {
		if name != "" {
			count++
		}
	}
	return column * count
}
