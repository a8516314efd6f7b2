package lvm

import (
	"fmt"
	"math"
)

// Level says how often the dissimilar pairs are coarse-grained. The zero value
// lets Fit choose by the number of points. A positive Level is the paper's l
// (l >= 1); NoCoarseGraining is l = 0.
type Level int

const (
	// LevelAuto is NoCoarseGraining for up to 1,000 points, 1 for up to
	// 200,000, and 2 beyond. Without coarse-graining a fit of n digits of MNIST
	// has the better neighbours (9-NN leave-one-out accuracy at n = 500: 0.83
	// against 0.77 at level 1, n = 1,000: 0.84, 0.83, n = 2,000: 0.86, 0.86)
	// and takes 20 times as long, growing as n^2.
	LevelAuto Level = 0
	// NoCoarseGraining keeps every dissimilar pair (l = 0): O(n^2) a step.
	NoCoarseGraining Level = -1
)

// LevelOf returns the Level that means the paper's l; l < 0 means LevelAuto.
func LevelOf(l int) Level {
	switch {
	case l < 0:
		return LevelAuto
	case l == 0:
		return NoCoarseGraining
	}
	return Level(l)
}

// Resolve returns the paper's l for n points.
func (l Level) Resolve(n int) int {
	switch {
	case l > 0:
		return int(l)
	case l < 0 || n <= 1000:
		return 0
	case n <= 200_000:
		return 1
	}
	return 2
}

// DefaultDims is the dimension of a map if none is named.
const DefaultDims = 2

// Settings of a fit. The zero value is a good start: every zero field stands
// for the default named beside it. Model files keep settings as JSON: the names
// in the tags are part of the file format, whatever the fields are called.
type Settings struct {
	// Dims is d, the dimension of the map. Default DefaultDims.
	Dims int `json:"dims"`
	// Neighbors is k of eq 22. Default 9.
	Neighbors int `json:"neighbors"`
	// Core is s of eq 23: pairs that reach each other within s steps along the
	// neighbour graph are similar. Default 1.
	Core int `json:"core"`
	// Level is l, the number of coarse-grainings. Default LevelAuto.
	Level Level `json:"level"`
	// Steps is the number of EM iterations. Default 400; negative means none
	// (the map is then the spectral start).
	Steps int `json:"steps"`
	// Momentum is beta of SM 43, in [0, 1). Default 0.9; NoMomentum makes it 0.
	Momentum   float64 `json:"momentum"`
	NoMomentum bool    `json:"no_momentum"`
	// Tolerance is where conjugate gradients stop, relative to the gradient
	// (the residual at the present mu; never to the right-hand side of eq 20,
	// which would stop learning). Default 1e-2.
	Tolerance float64 `json:"tolerance"`
	// Components says what happens if the neighbour graph is disconnected.
	// Default Connect.
	Components Components `json:"components"`
	// Seed chooses landmarks and the start of the eigenvector iteration.
	Seed uint64 `json:"seed"`
	// Threads bounds the goroutines that compute; 0 means GOMAXPROCS. The
	// result does not depend on it.
	Threads int `json:"threads"`
	// Floor bounds squared scales from below, relative to the median squared
	// edge scale delta^2: delta^2 >= Floor, sigma^2 >= Floor^2 (each times the
	// median). It keeps near duplicates from degenerating. Default 1e-6.
	Floor float64 `json:"floor"`
	// Lists is how many neighbours Result.Neighbors lists at least (for novelty
	// scores). Default: Neighbors, and never more than there are other points.
	Lists int `json:"lists"`
}

// withDefaults fills zero fields and checks the rest.
func (s Settings) withDefaults() (Settings, error) {
	or := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	or(&s.Dims, DefaultDims)
	or(&s.Neighbors, 9)
	or(&s.Core, 1)
	or(&s.Steps, 400)
	if s.Momentum == 0 {
		s.Momentum = 0.9
	}
	if s.NoMomentum {
		s.Momentum = 0
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-2
	}
	if s.Floor == 0 {
		s.Floor = 1e-6
	}
	s.Lists = max(s.Lists, s.Neighbors)
	switch {
	case s.Dims < 1:
		return s, fmt.Errorf("lvm: dims is %d, want at least 1", s.Dims)
	case s.Neighbors < 1:
		return s, fmt.Errorf("lvm: neighbors is %d, want at least 1", s.Neighbors)
	case s.Core < 1:
		return s, fmt.Errorf("lvm: core is %d, want at least 1", s.Core)
	case !(s.Momentum >= 0 && s.Momentum < 1):
		return s, fmt.Errorf("lvm: momentum is %v, want 0 <= momentum < 1", s.Momentum)
	case !(s.Tolerance > 0 && s.Tolerance < 1):
		return s, fmt.Errorf("lvm: tolerance is %v, want 0 < tolerance < 1", s.Tolerance)
	case !(s.Floor > 0 && s.Floor < 1) || math.IsInf(s.Floor, 0):
		return s, fmt.Errorf("lvm: floor is %v, want 0 < floor < 1", s.Floor)
	case s.Components != Connect && s.Components != Largest:
		return s, fmt.Errorf("lvm: unknown components setting %d", s.Components)
	}
	return s, nil
}
