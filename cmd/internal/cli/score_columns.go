package cli

import (
	"context"
	"fmt"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/score"
)

// addBeside adds the columns of a table to a map, before the map's own columns.
func addBeside(ctx context.Context, p *program, m *emit.Map, file, path string) error {
	if err := p.vet(ctx, path); err != nil {
		return err
	}
	r, err := ingest.Open(ctx, path, p.inputs())
	if err != nil {
		return err
	}
	defer r.Close()
	var parts [][]table.Column
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return err
		}
		for i, c := range t.Columns() {
			if i == len(parts) {
				parts = append(parts, nil)
			}
			parts[i] = append(parts[i], c)
		}
	}
	columns := make([]table.Column, len(parts))
	for i, part := range parts {
		if columns[i], err = table.Concat(part...); err != nil {
			return err
		}
		if n := columns[i].Len(); n != m.Len() {
			return &table.Error{Origin: table.Origin{File: path}, Row: -1,
				Problem: fmt.Sprintf("%s for the %s of %s", humanize.Plural(n, "row"), humanize.Plural(m.Len(), "point"), file),
				Hint:    "give a table with one row for every point of the map, in the same order"}
		}
	}
	m.Kept = append(columns, m.Kept...)
	return nil
}

// numbers scores the map with numeric columns.
func (c *scoreCmd) numbers(ctx context.Context, p *program, m *emit.Map, r *scoreReport) error {
	s := score.Settings{Seed: c.Seed, Threads: c.Threads}
	if len(c.Target) > 0 {
		p.progress.Stage("targets", "", 0)
		values, err := c.columns(m, c.Target)
		if err != nil {
			return err
		}
		g, err := score.Regress(ctx, m.Embedding, values, c.Neighbors, s)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Map, err)
		}
		r.Targets = &targetPart{K: g.K, Columns: c.Target, Error: g.Error, Points: g.Points}
	}
	if len(c.Truth) > 0 {
		values, err := c.columns(m, c.Truth)
		if err != nil {
			return err
		}
		truth := vec.New[float32](m.Len(), len(values))
		for j, v := range values {
			for i := range v {
				truth.Row(i)[j] = float32(v[i])
			}
		}
		s.Pairs = c.Pairs
		d, err := score.Distances(ctx, truth, m.Embedding, s)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Map, err)
		}
		r.Truth = &truthPart{Columns: c.Truth, Spearman: d.Spearman, Error: d.SpearmanError, Exact: d.Exact, Pairs: d.Pairs, Seed: d.Seed}
	}
	return nil
}

// columns returns numeric columns. It returns an error for missing values.
func (c *scoreCmd) columns(m *emit.Map, names []string) ([][]float64, error) {
	out := make([][]float64, len(names))
	for i, name := range names {
		column, err := mapColumn(c.Map, m, name)
		if err != nil {
			return nil, err
		}
		values, missing := column.Floats()
		if missing >= 0 {
			return nil, &table.Error{Origin: table.Origin{File: c.Map}, Row: int64(missing), Column: name,
				Problem: "there is no number here; targets and true places must be numbers"}
		}
		out[i] = values
	}
	return out, nil
}

// sample returns --sample in the convention of package score: -1 for all points.
func (c *scoreCmd) sample() int {
	if c.Sample == 0 {
		return -1
	}
	return c.Sample
}
