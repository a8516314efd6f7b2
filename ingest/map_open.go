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

// ReadDrawn reads a map for a picture; see emit.ReadDrawn.
func ReadDrawn(ctx context.Context, path string, opts Options) (*emit.Map, error) {
	r, err := Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return emit.ReadDrawn(ctx, r, table.Origin{File: path})
}

// ReadPlaces reads coordinates in dims dimensions from any table; see emit.ReadPlaces.
func ReadPlaces(ctx context.Context, path string, opts Options, dims int, ids ...string) (*emit.Places, error) {
	r, err := Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return emit.ReadPlaces(ctx, r, table.Origin{File: path}, dims, ids...)
}

// ReadShown reads a map of any program for display; see emit.ReadShown.
func ReadShown(ctx context.Context, path string, opts Options, id string, places ...string) (*emit.Shown, error) {
	r, err := Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return emit.ReadShown(ctx, r, table.Origin{File: path}, id, places...)
}
