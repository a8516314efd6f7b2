package main

import (
	"context"
	"math/rand/v2"
	"time"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
)

// cost is the cost of classes on a large map of random islands.
type cost struct {
	Labels, Classes, Dim, Parts, Threads int
	Train, Again                         float64 // seconds
	Rate                                 float64 // predictions per second
	// Processor time: seconds of both trainings, and microseconds per prediction.
	TrainCPU, AgainCPU, EachCPU float64
}

// Parameters of the large map.
const (
	costLabels, costClasses, costDim = 50_000, 26, 16
	costIslands                      = 8 // per class
	costPlaces                       = 20_000
	costRounds                       = 3
)

// cost measures training, training again from known sites, and predictions including the neighbour
// search.
func (b *bench) cost(ctx context.Context) (*cost, error) {
	n, places := costLabels, costPlaces
	if b.small {
		n, places = 600, 200
	}
	rnd := rand.New(rand.NewPCG(5, 17))
	islands := newIslands(rnd)
	e, at := islands.events(rnd, n), islands.events(rnd, places)
	set := labels.Settings{Seed: 1, Threads: b.threads}
	clock, used := time.Now(), harness.CPUSeconds()
	lap := func() float64 {
		before := used
		used = harness.CPUSeconds()
		return used - before
	}
	c, r, err := labels.Train(ctx, e, nil, set)
	if err != nil {
		return nil, err
	}
	out := &cost{Labels: n, Classes: costClasses, Dim: costDim, Parts: r.Parts, Threads: b.threads, Train: time.Since(clock).Seconds(), TrainCPU: lap()}
	set.Fixed = true
	clock = time.Now()
	if _, _, err = labels.Train(ctx, e, c, set); err != nil {
		return nil, err
	}
	out.Again, out.AgainCPU = time.Since(clock).Seconds(), lap()
	query := models.Placed{Mu: vec.Convert[float32](at.Mu), Sigma: make([]float32, places), Seen: at.Seen}
	for i, s := range at.Sigma {
		query.Sigma[i] = float32(s)
	}
	class, probability := make([]int32, places), make([]float32, places)
	lap()
	for range costRounds {
		clock = time.Now()
		if err := c.Predict(ctx, class, probability, query, b.threads); err != nil {
			return nil, err
		}
		out.Rate = max(out.Rate, float64(places)/time.Since(clock).Seconds())
	}
	out.EachCPU = lap() / float64(costRounds*places) * 1e6
	return out, nil
}

// islands are the centres of the classes' events, on the map and in the input.
type islands struct {
	class      []int32
	mu, seen   vec.Matrix[float64]
	wide, deep float64
}

func newIslands(rnd *rand.Rand) *islands {
	n := costClasses * costIslands
	s := &islands{class: make([]int32, n), mu: vec.New[float64](n, 2), seen: vec.New[float64](n, costDim), wide: .25, deep: .6}
	for i := range s.class {
		s.class[i] = int32(i % costClasses)
	}
	for i := range s.mu.Data {
		s.mu.Data[i] = 10 * rnd.Float64()
	}
	for i := range s.seen.Data {
		s.seen.Data[i] = rnd.NormFloat64()
	}
	return s
}

// events draws n events.
func (s *islands) events(rnd *rand.Rand, n int) labels.Events {
	e := labels.Events{Mu: vec.New[float64](n, 2), Sigma: make([]float64, n), Class: make([]int32, n), Seen: vec.New[float32](n, costDim)}
	for c := range costClasses {
		e.Names = append(e.Names, string(rune('A'+c)))
	}
	for i := range n {
		k := rnd.IntN(len(s.class))
		e.Class[i], e.Sigma[i] = s.class[k], .02+.05*rnd.Float64()
		for q, v := range s.mu.Row(k) {
			e.Mu.Row(i)[q] = v + s.wide*rnd.NormFloat64()
		}
		for q, v := range s.seen.Row(k) {
			e.Seen.Row(i)[q] = float32(v + s.deep*rnd.NormFloat64())
		}
	}
	return e
}
