package main

import (
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
)

// change is a kind of change of a stream.
type change struct {
	Name string
	// apply changes row x of a stream with a strength from 0 to 1. k are the constants of the
	// change.
	apply func(x []float32, strength float64, k *known, r *rand.Rand)
	// gradual is the number of events over which the change grows, 0 for a sudden one.
	gradual int
}

// known are constants that are drawn once per stream.
type known struct {
	mean, deviation []float64
	sign            []float64
	pairs           []int // pairs of columns
	late            vec.Matrix[float32]
}

const ramp = 2000

// changes are the changes of streams. Their sizes are such that none is found at once, and each is
// found by some method.
var changes = []change{
	{"shift by .3 deviations", shift(.3), 0},
	{"shift by .3, gradually", shift(.3), ramp},
	{"rotation by 45 degrees", rotate(math.Pi / 4), 0},
	{"rotation by 45, gradually", rotate(math.Pi / 4), ramp},
	{"new class, 10% of events", arrive(.1), 0},
	{"new class, up to 10%, gradually", arrive(.1), ramp},
	{"less spread, by .8", spread(.8), 0},
}

// shift moves every column up or down.
func shift(by float64) func([]float32, float64, *known, *rand.Rand) {
	return func(x []float32, strength float64, k *known, _ *rand.Rand) {
		for c := range x {
			x[c] += float32(strength * by * k.sign[c] * k.deviation[c])
		}
	}
}

// rotate rotates pairs of columns about their means, in units of their deviations.
func rotate(by float64) func([]float32, float64, *known, *rand.Rand) {
	return func(x []float32, strength float64, k *known, _ *rand.Rand) {
		sin, cos := math.Sincos(strength * by)
		for p := 0; p+1 < len(k.pairs); p += 2 {
			a, b := k.pairs[p], k.pairs[p+1]
			if k.deviation[a] == 0 || k.deviation[b] == 0 {
				continue
			}
			u, v := (float64(x[a])-k.mean[a])/k.deviation[a], (float64(x[b])-k.mean[b])/k.deviation[b]
			x[a] = float32(k.mean[a] + k.deviation[a]*(cos*u-sin*v))
			x[b] = float32(k.mean[b] + k.deviation[b]*(sin*u+cos*v))
		}
	}
}

// arrive replaces a share of the rows by rows of the late class.
func arrive(share float64) func([]float32, float64, *known, *rand.Rand) {
	return func(x []float32, strength float64, k *known, r *rand.Rand) {
		if r.Float64() < strength*share {
			copy(x, k.late.Row(r.IntN(k.late.Rows)))
		}
	}
}

// spread moves rows towards the mean.
func spread(to float64) func([]float32, float64, *known, *rand.Rand) {
	return func(x []float32, strength float64, k *known, _ *rand.Rand) {
		for c, v := range x {
			x[c] = float32(k.mean[c] + (float64(v)-k.mean[c])*(1-strength*(1-to)))
		}
	}
}

// stream draws distinct reference rows and events of a data set, and changes the events from event
// at on.
func (d *data) stream(seed uint64, reference, events, at int, c *change) (vec.Matrix[float32], vec.Matrix[float32]) {
	r := rand.New(rand.NewPCG(seed, 0xd1f7))
	rows := r.Perm(d.usual.Rows)[:reference+events]
	x := vec.Take(d.usual, toInt32(rows))
	ref, rest := x.Slice(0, reference).Clone(), x.Slice(reference, x.Rows).Clone()
	if c == nil {
		return ref, rest
	}
	k := &known{late: d.late, pairs: r.Perm(x.Cols), sign: make([]float64, x.Cols)}
	k.mean, k.deviation = moments(ref)
	for i := range k.sign {
		k.sign[i] = float64(2*r.IntN(2) - 1)
	}
	for i := at; i < events; i++ {
		strength := 1.0
		if c.gradual > 0 {
			strength = min(1, float64(i-at+1)/float64(c.gradual))
		}
		c.apply(rest.Row(i), strength, k, r)
	}
	return ref, rest
}

func toInt32(rows []int) []int32 {
	out := make([]int32, len(rows))
	for i, r := range rows {
		out[i] = int32(r)
	}
	return out
}
