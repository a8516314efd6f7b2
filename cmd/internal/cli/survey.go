package cli

import (
	"context"
	"io"
	"slices"

	"unfold/ingest"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// surveyed is the shape of some files' rows.
type surveyed struct {
	// rows of all files, and values of their vectors.
	rows, dim int
	// entries are the values that sparse matrices hold, 0 if one file holds none.
	entries int
	// kept are about the bytes a row of columns that pass through.
	kept int
	// left are the columns that "*" leaves out.
	left []ingest.Left
	// unknown names the files whose rows are known only when they are read.
	unknown []string
}

// survey finds the shape of files, as far as their formats say without reading:
// from the footers of Parquet and Arrow files, the headers of .npy and IDX. Others
// it reads through, table by table, if it may; if it may not, ok is false.
func survey(ctx context.Context, p *program, paths []string, read ingest.ReadOptions, may bool) (s surveyed, ok bool, err error) {
	// What vectors are scaled by does not change their length.
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
		s.entries = 0 // the rows are filled
	}
	return s, true, nil
}

// countRows counts the rows of one file.
func (s *surveyed) countRows(ctx context.Context, p *program, path string, r table.Reader, f *ingest.Fitter, may bool) (bool, error) {
	if m, is := ingest.SparseOf(r); is {
		n, _ := m.NumRows()
		s.rows, s.entries = s.rows+int(n), s.entries+int(m.Entries())
		return true, nil
	}
	rows, known := int64(0), false
	if c, is := r.(table.Counted); is {
		rows, known = c.NumRows()
	}
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

// keptBytes is about what columns that pass through take for a row.
func keptBytes(read ingest.ReadOptions) int {
	const column = 24 // a number, or a short text with its offset, twice while columns are joined
	count := len(read.Mapping.Keep) + len(read.LabelFiles)
	for _, name := range []string{read.Mapping.ID, read.Mapping.Label} {
		if name != "" {
			count++
		}
	}
	return column * count
}
