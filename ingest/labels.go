package ingest

import (
	"context"
	"io"
)

// LabelName is the name of the column that label files become.
const LabelName = "label"

// OpenLabels reads a file of one label a row: an IDX or npy file of one
// dimension, text with one column, or any other format with exactly one column
// that is not a vector. The column is called "label".
func OpenLabels(ctx context.Context, path string, opts Options) (Column, error) {
	r, err := Open(ctx, path, opts)
	if err != nil {
		return Column{}, err
	}
	defer r.Close()
	origin := Origin{File: path}
	s := r.Schema()
	if len(s) != 1 || s[0].Kind == Vector {
		return Column{}, origin.bad("a label file has one column with one label a row; this has %s", s)
	}
	var parts []Column
	for {
		t, err := r.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return Column{}, err
		}
		c, err := soundColumn(t.at(0), t.Origin, false)
		if err != nil {
			return Column{}, err
		}
		parts = append(parts, c)
	}
	if len(parts) == 0 {
		return Column{}, origin.bad("there are no labels")
	}
	c, err := Concat(parts...)
	return c.Renamed(LabelName), err
}
