package student

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/prior"
)

// Learning of very many points starts from the map of a sample, which is learnt by the same recipe.
// In the sample, groups reach their places in a tenth of the time, and fewer other groups block
// their way. docs/decisions/multilevel.md explains the choice of the numbers.
const (
	// samplePoints is the number of points from which on learning starts from a sample.
	samplePoints = 100_000
	// One in sampleShare points is in the sample.
	sampleShare = 10
	// sampleSpread scales the start places of all points around those of the sample's map. Points
	// that start close together can still pass each other.
	sampleSpread = 0.1
	// sampleSteps is the share of the usual steps that learning takes after the sample's map.
	sampleSteps = 0.75
)

// SampleOf returns the number of points of the sample from whose map learning of n points starts,
// or 0 if there is no sample. There is none if the settings give a frame, neighbours or a graph.
func (s Settings) SampleOf(n int) int {
	if n < samplePoints || s.Prior.Frame != prior.Auto || s.Given != nil || s.Paths != nil || s.coarse(n) != models.CoarseMap {
		return 0
	}
	return n / sampleShare
}

// learnSample learns a map of m of the points p. It returns this map as a frame of all points, in
// which the others are free, and the places where learning starts. Every point starts in the middle
// of its placed neighbours (prior.Start), with distances that are smaller than on the sample's map.
func (s Settings) learnSample(ctx context.Context, p prior.Points, m int, progress func(done, total int)) (frame, start vec.Matrix[float64], err error) {
	n := p.Neighbors.N
	rows := stratified(n, m, s.Seed)
	s.Weight = cmp.Or(s.Weight, Weight(m, float64(m)*float64(s.Neighbors), 0)) // as for all points
	s.Labels, s.Lists, s.Aside = take(s.Labels, rows), 0, nil
	if s.Steps == 0 { // the default for the sample's few points would be more
		s.Steps = s.recipe(n)
	}
	r, err := fit(ctx, vec.Take(p.X, rows), s, func(stage string, done, total int) {
		if stage == "em" && progress != nil {
			progress(done, total)
		}
	})
	if err != nil {
		return frame, start, fmt.Errorf("sample of %d points: %w", len(rows), err)
	}
	frame = vec.New[float64](n, s.Dims)
	for i := range frame.Data {
		frame.Data[i] = math.NaN()
	}
	for at, i := range rows {
		copy(frame.Row(int(i)), r.Mu.Row(int(r.Of[at])))
	}
	spread := math.Sqrt(vec.SquaredNorm(r.Mu.Data) / float64(len(r.Mu.Data)))
	return frame, prior.Start(frame, p.Neighbors, sampleSpread*spread), nil
}

// stratified returns m of n points in ascending order. One is drawn at random from each m-th part.
func stratified(n, m int, seed uint64) order {
	draw := rand.New(rand.NewPCG(seed, uint64(n)))
	rows := make(order, m)
	for at := range rows {
		from, to := at*n/m, (at+1)*n/m
		rows[at] = int32(from + draw.IntN(to-from))
	}
	return rows
}
