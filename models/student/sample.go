package student

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/prior"
)

// Learning of very many points starts from the map of a sample of them, which is learnt by the
// same recipe: in it, groups find their places in a tenth of the time, and with fewer others
// in their way. docs/decisions/multilevel.md has what the numbers were chosen by.
const (
	// samplePoints is the number of points from which on learning starts from a sample.
	samplePoints = 100_000
	// sampleShare is of how many points one is in the sample.
	sampleShare = 10
	// sampleSpread is how far points are spread at the start, of what they are on the sample's
	// map: near one another they still pass.
	sampleSpread = 0.1
	// sampleSteps is the share of the steps that are left to take.
	sampleSteps = 0.75
)

// SampleOf returns how many of n points are learnt first, for the start of the map of all; 0 for
// none. A frame that somebody names, neighbours that were found elsewhere and a graph leave no
// choice.
func (s Settings) SampleOf(n int) int {
	if n < samplePoints || s.Prior.Frame != prior.Auto || s.Given != nil || s.Paths != nil || s.coarse(n) != models.CoarseMap {
		return 0
	}
	return n / sampleShare
}

// learnSample learns a map of m of the points p, and returns it as a frame of all,
// where the others are free, and where learning starts: everybody in the middle of the
// neighbours that are placed (prior.Start), closer to one another than on the sample's map.
func (s Settings) learnSample(ctx context.Context, p prior.Points, m int, progress func(done, total int)) (frame, start vec.Matrix[float64], err error) {
	n := p.Neighbors.N
	rows := stratified(n, m, s.Seed)
	s.Labels, s.Lists, s.Aside = take(s.Labels, rows), 0, nil
	if s.Steps == 0 { // few points would take more
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

// stratified returns m of n points, ascending: one drawn of each m-th part.
func stratified(n, m int, seed uint64) order {
	draw := rand.New(rand.NewPCG(seed, uint64(n)))
	rows := make(order, m)
	for at := range rows {
		from, to := at*n/m, (at+1)*n/m
		rows[at] = int32(from + draw.IntN(to-from))
	}
	return rows
}
