package cli

import (
	"context"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/table"
)

// checkNeighbors returns an error for flags that conflict with --neighbors-file.
func (c *fitCmd) checkNeighbors(m ingest.Mapping, settings *config.Config) error {
	if c.NeighborsFile == "" {
		return nil
	}
	kind, err := settings.Model.Entry()
	switch {
	case err != nil:
		return err
	case !kind.Given:
		return usagef("--neighbors-file: a model of kind %s searches for neighbours itself; leave it out, or take another kind", kind.Name)
	case c.NeighborsFile == "-":
		return usagef("--neighbors-file: neighbours are read from a file, not from standard input")
	case m.Drop:
		return usagef("--missing drop: neighbours are numbers of rows, none of which may be left out; choose mean, or leave such rows out of both files")
	}
	return nil
}

// readNeighbors reads the file of neighbours, if one is given.
func (f *fitRun) readNeighbors(ctx context.Context) (err error) {
	path, n := f.NeighborsFile, f.data.Len()
	if path == "" {
		return nil
	}
	if err := f.p.vet(ctx, path); err != nil {
		return err
	}
	if f.near, err = ingest.ReadNeighbors(ctx, path, f.p.inputs()); err != nil {
		return err
	}
	if f.near.N != n {
		return table.Origin{File: path}.Bad("it has the neighbours of %s, and there are %d to be learnt from", humanize.Plural(f.near.N, "row"), n).
			Suggest("it needs a list for each row, in the order of the inputs")
	}
	f.clock.lap("neighbors")
	return nil
}

// nearDistBytes is the memory of one given neighbour: its index and distance, and the pair in both
// directions while lists are built (knn.AtGiven).
const nearDistBytes = 8 + 2*(8+4+8+8)

// nearBytes returns the memory of given neighbours per row.
func (f *fitRun) nearBytes() int {
	if f.near == nil {
		return 0
	}
	if f.near.Dist != nil {
		return nearDistBytes * f.near.K
	}
	return 4 * f.near.K
}

// fewNear is the recall of given neighbours below which a note is written.
const fewNear = 0.5

// noteNeighbors writes a note if the given neighbours are not the nearest rows.
func (f *fitRun) noteNeighbors() {
	if recall := f.result.Report.Search.Recall; f.near != nil && recall < fewNear {
		f.p.note("%s holds %.2g %% of the rows that are nearest in the vectors: are its rows in the order of the inputs?", f.NeighborsFile, 100*recall)
	}
}
