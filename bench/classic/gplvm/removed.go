package main

import (
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
)

// removed are binary twos, for learning and for placing. Each pixel is removed with the probability
// twosMissing.
type removed struct {
	train, rest, holes vec.Matrix[float64]
	which              []int // the pixels that vary
	missing            int
}

// removed reads twos; learnt of them are for learning. A pixel is ink if it is at least as dark as
// a given grey.
func (b *bench) removed(ink float64, learnt int, seed uint64) (*removed, error) {
	train, test, err := b.twos(ink, learnt)
	if err != nil {
		return nil, err
	}
	d := &removed{}
	// Constant pixels carry no information.
	d.train, d.which = varied(train)
	d.rest = vec.New[float64](test.Rows, len(d.which))
	for i := range d.rest.Rows {
		for c, p := range d.which {
			d.rest.Row(i)[c] = test.Row(i)[p]
		}
	}
	d.holes = d.rest.Clone()
	rnd := rand.New(rand.NewPCG(seed, 2))
	for i := range d.holes.Data {
		if rnd.Float64() < twosMissing {
			d.holes.Data[i] = math.NaN()
			d.missing++
		}
	}
	return d, nil
}

// share returns the share of removed pixels whose sign differs from that of value.
func (d *removed) share(value func(i, c int) float64) float64 {
	wrong := 0
	for i := range d.holes.Rows {
		for c, v := range d.holes.Row(i) {
			if math.IsNaN(v) && math.Copysign(1, value(i, c)) != d.rest.Row(i)[c] {
				wrong++
			}
		}
	}
	return float64(wrong) / float64(d.missing)
}
