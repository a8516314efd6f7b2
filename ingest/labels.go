package ingest

import (
	"context"
	"slices"
	"unfold/ingest/table"
)

// LabelName is the name of the column read from label files.
const LabelName = "label"

// OpenLabels reads a file with one label per row. It is an IDX or npy file of one dimension, text
// with one column, or any other format with exactly one column that is not a vector. An additional
// index column is ignored. The returned column is called "label".
func OpenLabels(ctx context.Context, path string, opts Options) (table.Column, error) {
	r, err := openPlain(ctx, path, opts)
	if err != nil {
		return table.Column{}, err
	}
	defer r.Close()
	origin := table.Origin{File: path}
	s := r.Schema()
	// The index column that pandas writes is not a label.
	at := slices.IndexFunc(s, func(f table.Field) bool { return !f.Index })
	if at < 0 || s[at].Kind == table.Vector || slices.ContainsFunc(s[at+1:], func(f table.Field) bool { return !f.Index }) {
		return table.Column{}, origin.Bad("a label file has one column with one label a row; this has %s", s)
	}
	var parts []table.Column
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return table.Column{}, err
		}
		c, err := table.SoundColumn(t.At(at), t.Origin, false)
		if err != nil {
			return table.Column{}, err
		}
		parts = append(parts, c)
	}
	if len(parts) == 0 {
		return table.Column{}, origin.Bad("there are no labels")
	}
	c, err := table.Concat(parts...)
	return c.Renamed(LabelName), err
}
