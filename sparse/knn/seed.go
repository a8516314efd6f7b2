package knn

import (
	"math"

	"unfold/sparse/vec/tile"
)

// seeds picks likely neighbours among some panels: those with the largest
// products. Lists that begin with them have tight thresholds from the start,
// which spares most of the exact distances of a list that fills up as its rows
// come.
type seeds struct {
	k, panels int
	product   []float64 // tile.Height lines of panels*tile.Width
	at        []int32   // the k best
	cost      []float64 // and minus their products
}

func newSeeds(k, panels int) *seeds {
	return &seeds{k: k, panels: panels, product: make([]float64, tile.Height*panels*tile.Width), at: make([]int32, k), cost: make([]float64, k)}
}

// multiply makes products of vectors first, ... of a and panels from..to of p.
func (s *seeds) multiply(p *packed, a *tile.Panels, first, from, to int) {
	clear(s.product)
	tile.Add(p.level, s.product, s.panels*tile.Width, a, first, p.Panels, from, to)
}

// likely returns up to k positions that are likely to be near to vector
// first+r of the last call of multiply, which was about panels from..to. They
// are valid until the next call.
func (s *seeds) likely(p *packed, r, from, to int) []int32 {
	for n := range s.at {
		s.at[n], s.cost[n] = math.MaxInt32, math.Inf(1)
	}
	line := s.product[r*s.panels*tile.Width:][:(to-from)*tile.Width]
	start := p.Start[from*tile.Width:][:len(line)]
	last := s.k - 1
	for c, v := range line {
		// Positions that fill up the last panel cost +Inf.
		if cost := -v - float64(start[c]); cost < s.cost[last] {
			insert(s.at, s.cost, int32(from*tile.Width+c), cost)
		}
	}
	n := 0
	for n < s.k && s.at[n] != math.MaxInt32 {
		n++
	}
	return s.at[:n]
}
