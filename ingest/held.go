package ingest

import (
	"context"
	"io"

	"unfold/ingest/input"
	"unfold/ingest/table"
)

// open opens a source. A source that can be read only once is kept for the second pass.
func (l *loader) open(path string) (table.Reader, error) {
	if kept, ok := l.held[path]; ok {
		kept.next = 0
		return kept, nil
	}
	r, err := Open(l.ctx, path, l.opts.Options)
	if err != nil {
		return nil, err
	}
	if err := checkFull(r, path); err != nil {
		r.Close()
		return nil, err
	}
	if !input.ReadOnce(path) {
		return r, nil
	}
	tables, err := readTables(l.ctx, r)
	if err != nil {
		return nil, err
	}
	if len(tables) == 0 {
		return nil, table.Origin{File: path}.Bad("there are no rows")
	}
	h := &heldReader{schema: r.Schema(), tables: tables}
	l.held = map[string]*heldReader{path: h}
	return h, nil
}

func readTables(ctx context.Context, r table.Reader) ([]*table.Table, error) {
	defer r.Close()
	var out []*table.Table
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// heldReader reads tables from memory.
type heldReader struct {
	schema table.Schema
	tables []*table.Table
	next   int
}

func (h *heldReader) Schema() table.Schema { return h.schema }

func (h *heldReader) Close() error { return nil }

func (h *heldReader) Next(ctx context.Context) (*table.Table, error) {
	if h.next == len(h.tables) {
		return nil, io.EOF
	}
	h.next++
	return h.tables[h.next-1], ctx.Err()
}
