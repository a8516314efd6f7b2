package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"time"

	"unfold/models/kinds"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/vec"
)

// Shape of the fleet's events.
const (
	Dim       = 50
	eventRows = 100 // events a message
	classes   = 8
)

// Placing is what finding places costs.
type Placing struct {
	Points, Dim int
	// Seconds of processor time an event, on one core; Bytes of the snapshot.
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

// placing measures one kind. How good the map is does not matter: few steps do.
func (l *lab) placing(ctx context.Context, points, dim int) (p Placing, err error) {
	rng := rand.New(rand.NewPCG(uint64(points), uint64(dim)))
	spec := kinds.Spec{LVM: lvm.Settings{Steps: 10, Seed: 1}}
	s, _, err := kinds.Fit(ctx, clouds(rng, points, dim), spec, nil)
	if err != nil {
		return p, err
	}
	p = Placing{Points: points, Dim: dim}
	var file bytes.Buffer
	if err := snapshot.Write(&file, s); err != nil {
		return p, err
	}
	p.Bytes = int64(file.Len())
	placer, err := kinds.Open(s, lvm.PlaceSettings{Threads: 1})
	if err != nil {
		return p, err
	}
	x := clouds(rng, 1000, dim)
	n := 0
	begin := time.Now()
	for ; time.Since(begin) < l.span; n += x.Rows {
		if _, err := placer.Place(ctx, x); err != nil {
			return p, err
		}
	}
	p.Seconds = time.Since(begin).Seconds() / float64(n)
	return p, nil
}
