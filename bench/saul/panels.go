package main

import (
	"context"

	"unfold/bench/internal/sheet"
)

// panel reads the map NAME of labelled points.
func (b *bench) panel(ctx context.Context, name string) (p sheet.Panel, err error) {
	m, err := b.places(ctx, name)
	if err != nil {
		return p, err
	}
	p.X = m.Embedding
	p.Class, err = labels(m)
	return p, err
}

// panels draws maps side by side as a figure, so many in a row, a pixel a point.
func (b *bench) panels(figure string, across int, maps []sheet.Panel) error {
	return sheet.Panels(b.figure(figure), across, sheet.Classes, maps)
}
