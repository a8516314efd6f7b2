package cli

import (
	"context"

	"unfold/cmd/internal/plot"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// spread returns the shapes that --uncertainty draws: circles of the map's sigma, or ellipses of a
// model's points if the model has them.
func (c *plotCmd) spread(ctx context.Context, m *emit.Map, x, y []float64) ([]plot.Ellipse, error) {
	if !c.Uncertainty {
		return nil, nil
	}
	if c.Model != "" {
		return c.ellipses(ctx, m.Embedding.Cols)
	}
	if m.Sigma == nil {
		return nil, usagef("--uncertainty: %s has no column sigma", c.Map)
	}
	var out []plot.Ellipse
	for i, s := range m.Sigma {
		v := float64(s) * float64(s)
		out = append(out, plot.Ellipse{X: x[i], Y: y[i], XX: v, YY: v})
	}
	return out, nil
}

func (c *plotCmd) ellipses(ctx context.Context, dims int) ([]plot.Ellipse, error) {
	s, err := readModel(ctx, c.Model)
	if err != nil {
		return nil, err
	}
	p, err := opened[models.Spreader](s, c.Model, "no covariances of its points; without --model, circles of the map's sigma are drawn")
	if err != nil {
		return nil, err
	}
	axes := c.Axes
	if len(axes) == 0 {
		axes = []int{0, 1}
	}
	if dims > 2 && len(c.Axes) == 0 || s.Mu.Cols != dims {
		return nil, usagef("--model: the model has %d dimensions, the map %d; of more than two name two with --axes", s.Mu.Cols, dims)
	}
	mu, cov := p.Spread()
	a, b := axes[0], axes[1]
	var out []plot.Ellipse
	for i, v := range cov {
		at := mu.Row(i)
		out = append(out, plot.Ellipse{X: at[a], Y: at[b], XX: v.Row(a)[a], XY: v.Row(a)[b], YY: v.Row(b)[b]})
	}
	return out, nil
}

// opened returns a model's placer as type T, which only some kinds of models implement.
func opened[T any](s *snapshot.Snapshot, path, lacks string) (T, error) {
	var none T
	placer, err := fit.Open(s, placing.Options{})
	if err != nil {
		return none, table.InFile(path, err)
	}
	p, ok := placer.(T)
	if !ok {
		return none, models.BadInputf("%s: a model of kind %s has %s", path, s.Kind, lacks)
	}
	return p, nil
}
