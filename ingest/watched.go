package ingest

import (
	"context"

	"unfold/ingest/table"
	"unfold/sparse"
)

// watched calls watch around each call that decodes a source. Only the capabilities that a reader may
// lack in part are forwarded; watchedSparse adds those of sparse matrices.
type watched struct {
	table.Reader
	watch func() (done func())
}

// watchedSparse is a watched sparse matrix.
type watchedSparse struct {
	*watched
	table.Sparse
}

// watching returns a reader whose calls are watched.
func watching(r table.Reader, watch func() (done func())) table.Reader {
	w := &watched{r, watch}
	if s, is := r.(table.Sparse); is {
		return &watchedSparse{w, s}
	}
	return w
}

func (w *watched) Next(ctx context.Context) (*table.Table, error) {
	defer w.watch()()
	return w.Reader.Next(ctx)
}

// Narrow implements table.Narrowing.
func (w *watched) Narrow(wanted func(column string) bool) {
	if n, is := w.Reader.(table.Narrowing); is {
		defer w.watch()()
		n.Narrow(wanted)
	}
}

// NumRows implements table.Counted.
func (w *watched) NumRows() (int64, bool) { return table.RowsOf(w.Reader) }

// Parts implements table.Parted.
func (w *watched) Parts(most int) ([]table.Reader, error) {
	p, is := w.Reader.(table.Parted)
	if !is {
		return nil, nil
	}
	defer w.watch()()
	parts, err := p.Parts(most)
	for i := range parts {
		parts[i] = watching(parts[i], w.watch)
	}
	return parts, err
}

// MapID implements table.Identified.
func (w *watched) MapID() string { return table.MapOf(w.Reader) }

// Left implements table.Leaving.
func (w *watched) Left() table.Schema { return table.LeftOf(w.Reader) }

func (w *watchedSparse) Next(ctx context.Context) (*table.Table, error) { return w.watched.Next(ctx) }
func (w *watchedSparse) NumRows() (int64, bool)                         { return w.Sparse.NumRows() }
func (w *watchedSparse) Schema() table.Schema                           { return w.Sparse.Schema() }
func (w *watchedSparse) Close() error                                   { return w.Sparse.Close() }

// Matrix implements table.Sparse.
func (w *watchedSparse) Matrix(ctx context.Context) (*sparse.Rows, error) {
	defer w.watch()()
	return w.Sparse.Matrix(ctx)
}
