package main

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/stream/learn"
)

// Shape of the fleet's events.
const (
	Dim       = 50
	eventRows = 100 // events a message
	classes   = 8
)

// Placing is the cost of placing alone.
type Placing struct {
	Points, Dim int
	// Search is the kind of neighbour search.
	Search string
	// Seconds of processor time per event with all cores busy; Bytes of the snapshot.
	Seconds float64
	Bytes   int64
}

// clouds draws events from some classes.
func clouds(rng *rand.Rand, rows, dim int) vec.Matrix[float32] {
	x := vec.New[float32](rows, dim)
	for i := range rows {
		class := rng.IntN(classes)
		for k := range dim {
			x.Row(i)[k] = float32(rng.NormFloat64())
			if k%classes == class {
				x.Row(i)[k] += 6
			}
		}
	}
	return x
}

// placing measures separate maps. Their quality does not matter, so few steps suffice.
func (l *lab) placing(ctx context.Context, points, dim int) (p Placing, err error) {
	rng := rand.New(rand.NewPCG(uint64(points), uint64(dim)))
	spec := fit.Spec{Common: models.Common{Steps: 10, Seed: 1}}
	s, _, err := fit.Fit(ctx, clouds(rng, points, dim), spec, nil)
	if err != nil {
		return p, err
	}
	return l.on(ctx, s, rng)
}

// placingOfFleet measures the map in the state of the fleet's learner.
func (l *lab) placingOfFleet(ctx context.Context, state string) (p Placing, err error) {
	s, err := snapshot.ReadFile(filepath.Join(state, learn.MapFile))
	if err != nil {
		return p, err
	}
	return l.on(ctx, s, rand.New(rand.NewPCG(1, 4)))
}

// searchOf names the search of neighbours on a map.
func searchOf(s *snapshot.Snapshot) string {
	switch {
	case s.CellRecall > 0:
		return "cells"
	case s.Index != nil:
		return "index"
	}
	return "exact search"
}

// on measures placing on a map, in calls of batch events, on all cores at once as an embedder does.
func (l *lab) on(ctx context.Context, s *snapshot.Snapshot, rng *rand.Rand) (p Placing, err error) {
	const batch, batches = 1000, 10
	p = Placing{Points: s.Reference.Rows, Dim: s.Dim, Search: searchOf(s)}
	var file bytes.Buffer
	if err := snapshot.Write(&file, s); err != nil {
		return p, err
	}
	p.Bytes = int64(file.Len())
	placer, err := fit.Open(s, placing.Options{})
	if err != nil {
		return p, err
	}
	x := clouds(rng, batch*batches, s.Dim)
	begin := harness.CPUSeconds()
	if begin == 0 {
		return p, errors.New("the system does not report processor time")
	}
	took, n := 0., 0
	for took < l.span.Seconds() {
		from := n % x.Rows
		if _, err := placer.Place(ctx, x.Slice(from, from+batch)); err != nil {
			return p, err
		}
		took, n = harness.CPUSeconds()-begin, n+batch
	}
	p.Seconds = took / float64(n)
	return p, nil
}
