package gplvm

import (
	"context"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
)

// complete replaces the missing values of the rows of x by the predictions at their places.
func (f *Fitted) complete(ctx context.Context, x vec.Matrix[float32]) error {
	if !placing.AnyMissing(x.Data) {
		return nil
	}
	p, err := newPlacer(f)
	if err != nil {
		return err
	}
	f.completed, err = p.learnt().CompleteAll(ctx, x)
	return err
}

// PlaceMissing implements models.Lenient; see placing.Placer.PlaceObserved.
func (p *Placer) PlaceMissing(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if err := p.checkEvents(x); err != nil {
		return models.Placed{}, err
	}
	return p.PlaceObserved(ctx, x)
}
