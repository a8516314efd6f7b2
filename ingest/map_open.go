package ingest

import "context"

// ReadMap reads a map in any of the formats that Create writes.
func ReadMap(ctx context.Context, path string, opts Options) (*Map, error) {
	r, err := Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readMap(ctx, r, Origin{File: path})
}
