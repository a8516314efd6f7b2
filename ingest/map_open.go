package ingest

import (
	"context"
	"unfold/ingest/emit"
	"unfold/ingest/table"
)

// ReadMap reads a map in any of the formats that Create writes.
func ReadMap(ctx context.Context, path string, opts Options) (*emit.Map, error) {
	r, err := Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return emit.ReadMap(ctx, r, table.Origin{File: path})
}
