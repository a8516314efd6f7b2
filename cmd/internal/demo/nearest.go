package demo

import (
	"context"
	"fmt"

	"unfold"
	"unfold/internal/vec"
	"unfold/models/score"
	"unfold/stream/embed"
)

// NearestFigures compare the map of the stage with a fit of the same points: the shares of
// labelled points whose nearest other labelled point on the map has the same label.
type NearestFigures struct {
	Points     int // with a label
	Stage, Fit float64
}

// nearest compares the newest map of the stage with a fit of its reference points, with labels from
// the events in parts. It returns nil if there are not several labels, or if the map has points
// other than the reference points.
func (d *demo) nearest(ctx context.Context, parts []part) (*NearestFigures, error) {
	m, ok := d.stage.Current().Map.(*embed.Map)
	if !ok || m.PointIDs() == nil {
		return nil, nil
	}
	of := map[string]string{}
	for _, p := range parts {
		label := column(p, d.Stage.Mapping.Label)
		for i := range p.Len() {
			of[p.ID.Text(i)] = label[i]
		}
	}
	points := m.PointIDs()
	labels := make([]string, len(points))
	for i, id := range points {
		labels[i] = of[id]
	}
	class, names := score.Classes(labels)
	if len(names) < 2 {
		return nil, nil
	}
	x := m.Snapshot().Reference
	// The points are already projected.
	fitted, err := unfold.Fit(ctx, unfold.Flat{Rows: x.Rows, Cols: x.Cols, Stride: x.Cols, Data: x.Data},
		unfold.Options{Steps: d.Stage.Spec.Steps, Seed: d.Stage.Spec.Seed, PCA: unfold.NoPCA})
	if err != nil {
		return nil, fmt.Errorf("a fit to compare the map with: %w", err)
	}
	places := fitted.Result().Embedding.RawMatrix()
	own, err := alike(ctx, m.Snapshot().Mu, class)
	if err != nil {
		return nil, err
	}
	other, err := alike(ctx, vec.Of(places.Rows, places.Cols, places.Data), class)
	if err != nil {
		return nil, err
	}
	return &NearestFigures{own.Points, own.Share[0], other.Share[0]}, nil
}

// alike returns the 1-nearest-neighbour accuracy over all points.
func alike[T vec.Float](ctx context.Context, at vec.Matrix[T], class []int32) (*score.Accuracy, error) {
	return score.LeaveOneOut(ctx, at, class, []int{1}, score.Settings{})
}
