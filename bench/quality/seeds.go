package main

import (
	"context"
	"fmt"
)

// The effect of the seed. In two dimensions the defaults draw no random numbers, so two maps of
// MNIST with other seeds are compared byte by byte. In ten dimensions every step draws the
// dissimilar points at random, so maps differ. There, figures of seeds 1 to seedCount are compared.
const (
	seedDims  = 10
	seedCount = 3
)

// planeName is the comparison in two dimensions.
const planeName = "plane-seeds/" + byDefault

// seedName returns the name of the measurement of a seed's map in ten dimensions. That of seed 1 is
// the joint map.
func seedName(seed int) string {
	if seed == 1 {
		return jointName(seedDims, methods()[0])
	}
	return fmt.Sprintf("dims%d-seed%d/%s", seedDims, seed, byDefault)
}

func (b *bench) seeds(ctx context.Context, mnist *prepared) error {
	m := methods()[0]
	plane := job{input: input{path: mnist.raw}, output: b.mapFile("plane-seed2", m.key), seed: 2}
	_, err := b.once(planeName, b.made(m, plane, mnist), b.when(m, partSeeds), func(r *result) error {
		return b.comparePlane(ctx, mnist, plane, r)
	})
	if err != nil {
		return err
	}
	for seed := 2; seed <= seedCount; seed++ {
		j := job{input: input{path: mnist.raw}, output: b.mapFile(fmt.Sprintf("dims%d-seed%d", seedDims, seed), m.key), dims: seedDims, seed: seed}
		_, err := b.once(seedName(seed), b.made(m, j, mnist), b.whenTimed(m, partSeeds), func(r *result) error {
			if err := b.make(ctx, m, j, r); err != nil {
				return err
			}
			return b.score(ctx, mnist, j.output, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// comparePlane makes the map of another seed and counts the bytes that differ from the map of seed
// 1.
func (b *bench) comparePlane(ctx context.Context, mnist *prepared, other job, r *result) error {
	m := methods()[0]
	first := b.mapFile(mnist.name, m.key)
	if table := b.results[mnist.name+"/"+m.key]; table == nil || table.Run != b.run {
		j := job{input: input{path: mnist.raw}, output: b.mapFile("plane-seed1", m.key)}
		if err := b.make(ctx, m, j, &result{Figures: map[string]float64{}}); err != nil {
			return err
		}
		first = j.output
	}
	if err := b.make(ctx, m, other, r); err != nil {
		return err
	}
	n, err := differing(first, other.output)
	r.Figures[differ] = float64(n)
	return err
}
