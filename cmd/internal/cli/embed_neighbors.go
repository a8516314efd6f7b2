package cli

import (
	"context"
	"errors"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/stream/embed"
)

// placed places the rows of a table, with their neighbours if requested.
func (e *embedder) placed(ctx context.Context, m *embed.Map, t *table.Table) (*emit.Output, error) {
	if e.rest != nil {
		return e.rest.placed(ctx, m, t)
	}
	if e.neighbors == 0 {
		return m.Table(ctx, t)
	}
	asked, err := m.Ask(ctx, t)
	if err != nil {
		return nil, err
	}
	near, err := m.Nearest(ctx, asked.Batch.X, min(e.neighbors, e.points))
	if err != nil {
		var at *models.RowError
		if errors.As(err, &at) {
			return nil, asked.Batch.Origin.BadAt(at.Row, at.Name, "it has no neighbours, as a value is missing").Suggest("leave --neighbors out")
		}
		return nil, err
	}
	out := asked.All()
	out.Kept = append(out.Kept, embed.NeighborColumns(near, m.Distance(), m.PointIDs())...)
	return out, nil
}

// checkNeighbors returns an error if --neighbors conflicts with other flags.
func (c *embedCmd) checkNeighbors(settings *config.Config) error {
	switch format, _, err := emit.FormatOf(c.Output); {
	case c.Neighbors < 0:
		return usagef("--neighbors: %d is too small; it must be at least 1", c.Neighbors)
	case c.Neighbors == 0:
		return nil
	case c.Lines || c.Graph != "":
		return usagef("--neighbors goes with files of rows, not with --lines or --graph")
	case err == nil && (format == input.NPY || format == input.CSV):
		return usagef("--neighbors: neighbours are lists, which %s does not hold; take .parquet, .arrow or .jsonl", c.Output)
	}
	for _, name := range settings.Source.Keep {
		if name == embed.NeighborName || name == embed.NeighborDistanceName || name == embed.NeighborIDName {
			return usagef("--keep %s: the neighbours are in a column of that name; rename it in the input", name)
		}
	}
	return nil
}

// own writes the model's points with their nearest other points: a row for each point, in the
// model's order.
func (c *embedCmd) own(ctx context.Context, p *program, settings *config.Config) error {
	begin := time.Now()
	s, err := readModel(ctx, c.Model)
	if err != nil {
		return err
	}
	near, err := nearestOthers(ctx, s, c.Neighbors, settings)
	if err != nil {
		return table.InFile(c.Model, err)
	}
	w, err := createMap(c.Output, p.Stdout, true)
	if err != nil {
		return err
	}
	defer w.Abort()
	err = w.Write(&emit.Output{
		Embedding: vec.Convert[float32](s.Mu), Kept: embed.NeighborColumns(near, s.Distance, nil), Epoch: s.Epoch, Version: s.Version, MapID: s.MapID,
	})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if c.Output != "-" {
		p.printf("%s holds the neighbours of %s, found in %s\n", c.Output, humanize.Plural(s.Reference.Rows, "point"), humanize.Span(time.Since(begin)))
	}
	return nil
}

// nearestOthers returns the k nearest other points of each point, or all others if there are fewer.
func nearestOthers(ctx context.Context, s *snapshot.Snapshot, k int, settings *config.Config) (*knn.Neighbors, error) {
	spec, err := fit.ParseSpec(s)
	if err != nil {
		return nil, err
	}
	search := spec.Search
	search.Seed = spec.Seed
	near, _, err := auto.Graph(ctx, s.Reference, min(k, s.Reference.Rows-1), search, knn.Settings{Threads: settings.Model.Threads, Distance: s.Distance})
	return near, err
}
