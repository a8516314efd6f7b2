package main

import (
	"context"
	"slices"

	"unfold/bench/internal/sheet"
	"unfold/internal/vec"
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

// panels draws maps as a figure, across per row, with one pixel per point.
func (b *bench) panels(figure string, across int, maps []sheet.Panel) error {
	return sheet.Panels(b.figure(figure), sheet.Figure{Across: across, Colours: sheet.Classes}, maps)
}

// closer draws maps in one row as a figure, larger than panels does.
func (b *bench) closer(figure string, maps ...sheet.Panel) error {
	return sheet.Panels(b.figure(figure), sheet.Figure{Across: len(maps), Side: closeSide, Colours: sheet.Classes}, maps)
}

const (
	closeSide = 360 // of a panel, in pixels
	// stray is the share of a class's points at each end of an axis that a close-up may omit.
	stray = 0.05
)

// confusable are the classes of digits in the close-ups of figures S6 and S7.
var confusable = [][]int32{{3, 5, 8}, {4, 7, 9}}

// closeups returns the map with boxes around the confusable classes, and the content of each box.
func closeups(p sheet.Panel) []sheet.Panel {
	all := []sheet.Panel{p}
	for _, classes := range confusable {
		var of []int
		for i, c := range p.Class {
			if slices.Contains(classes, c) {
				of = append(of, i)
			}
		}
		near := p
		near.Window = sheet.AroundMost(vec.Take(p.X, of), stray)
		all[0].Boxes = append(all[0].Boxes, near.Window)
		all = append(all, near)
	}
	return all
}
