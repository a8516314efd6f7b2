package cli

import (
	"context"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/table"
)

// checkNeighbors says what does not go with neighbours that are given.
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

// readNeighbors reads the rows' neighbours, if they are given.
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

// nearDistBytes is what a neighbour at a given distance takes: its number and distance, and, while lists
// are made of them, the pair in both directions (knn.AtGiven).
const nearDistBytes = 8 + 2*(8+4+8+8)

// nearBytes is what neighbours that are given take for a row.
func (f *fitRun) nearBytes() int {
	if f.near == nil {
		return 0
	}
	if f.near.Dist != nil {
		return nearDistBytes * f.near.K
	}
	return 4 * f.near.K
}

// fewNear is the share of the nearest rows below which neighbours that are given are doubted.
const fewNear = 0.5

// noteNeighbors says that the neighbours that were given are not the nearest rows.
func (f *fitRun) noteNeighbors() {
	if recall := f.result.Report.Search.Recall; f.near != nil && recall < fewNear {
		f.p.note("%s holds %.2g %% of the rows that are nearest in the vectors: are its rows in the order of the inputs?", f.NeighborsFile, 100*recall)
	}
}
