package saul

import (
	"fmt"
	"math"

	"unfold/models/student"
	"unfold/sparse/knn/auto"
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

// MostDims is the largest dimension of a map with heavy tails.
const MostDims = 1000

// DefaultDims is the dimension of a map if none is named.
const DefaultDims = 2

// Settings of a fit. The zero value is a good start: every zero field stands
// for the default named beside it. Model files keep settings as JSON: the names
// in the tags are part of the file format, whatever the fields are called.
type Settings struct {
	// Dims is d, the dimension of the map, with heavy tails at most MostDims. Default
	// DefaultDims.
	Dims int `json:"dims"`
	// Tails are those of the probability that two points coincide. Default
	// Student. Files from before there was a choice name none and mean Gaussian.
	Tails Tails `json:"tails"`
	// Neighbors is k of eq 22. Default 6, with Gaussian tails 9.
	Neighbors int `json:"neighbors"`
	// Steps is the number of EM iterations; negative means none (the map is then
	// the start). Default student.Steps, 80 to 200 by the number of points, with
	// Thorough 200; with Gaussian tails 400.
	Steps int `json:"steps"`
	// Momentum is beta of SM 43, in [0, 1). Default 0.9; NoMomentum makes it 0.
	Momentum   float64 `json:"momentum"`
	NoMomentum bool    `json:"no_momentum"`
	// Tolerance is where conjugate gradients stop, relative to the gradient
	// (the residual at the present mu; never to the right-hand side of eq 20,
	// which would stop learning). Default 0.1, with Gaussian tails 0.01.
	Tolerance float64 `json:"tolerance"`
	// Gain ends learning before its last step: when 10 steps together have moved
	// the likelihood by less than 10 times this share of it, with heavy tails not
	// before the weight of dissimilar pairs is final. What steps gain follows from
	// gradients, or looks at the likelihood, that they need anyway. Negative means
	// never. Default: never, but DefaultGain with Gaussian tails if Steps is left at
	// its default.
	Gain float64 `json:"gain"`
	// Seed chooses landmarks, random partners, and the start of the eigenvector
	// iteration.
	Seed uint64 `json:"seed"`
	// Threads bounds the goroutines that compute; 0 means GOMAXPROCS. The
	// result does not depend on it.
	Threads int `json:"threads"`
	// Lists is how many neighbours Result.Neighbors lists at least (for novelty
	// scores). Default: Neighbors, and never more than there are other points.
	Lists int `json:"lists"`
	// Search says how neighbours are found. The zero value finds 99% of them in a
	// sample of points or all, as their number decides (package auto).
	Search auto.Settings `json:"search"`
	// Coarse says what points are held against beside their neighbours. Default
	// CoarseAuto.
	Coarse Coarse `json:"coarse"`

	// The rest belongs to one kind of tails; with the other it must be left at
	// its default. First Student.

	// Scales are the length scales of pairs. Default NativeScales.
	Scales Scales `json:"scales"`
	// Tail is a, the shape of the tails. Default Dims/2.
	Tail float64 `json:"tail"`
	// Weight is c, the weight of an ordered dissimilar pair. Default
	// student.Weight, 0.086 but for few points.
	Weight float64 `json:"weight"`
	// Sigma says what becomes of the variances, which begin at Sigma2. Defaults
	// SigmaFixed, 0.1.
	Sigma  SigmaMode `json:"sigma"`
	Sigma2 float64   `json:"sigma2"`
	// Thorough takes two and a half times the steps, each solved to the tolerance,
	// with finer cells: a little better, and several times as long.
	Thorough bool `json:"thorough"`
	// Theta is the accuracy of cells in the map, smaller is better. Default: that
	// of package farfield, two thirds of it for fewer than 30,000 points or if
	// Thorough.
	Theta float64 `json:"theta"`

	// Now Gaussian.

	// Core is s of eq 23: pairs that reach each other within s steps along the
	// neighbour graph are similar. Default 1.
	Core int `json:"core"`
	// Level is l, the number of coarse-grainings. Default LevelAuto.
	Level Level `json:"level"`
	// Components says what happens if the neighbour graph is disconnected.
	// Default Connect. With heavy tails all parts are always learnt.
	Components Components `json:"components"`
	// Floor bounds squared scales from below, relative to the median squared
	// edge scale delta^2: delta^2 >= Floor, sigma^2 >= Floor^2 (each times the
	// median). It keeps near duplicates from degenerating. Default 1e-6.
	Floor float64 `json:"floor"`
}

// SettingError says which setting of Settings is wrong.
type SettingError struct {
	// Name is that of the JSON tag.
	Name string
	// Problem says what is wrong and what to do.
	Problem string
}

func (e *SettingError) Error() string { return "lvm: " + e.Name + ": " + e.Problem }

// Check returns a *SettingError if a fit would refuse the settings.
func (s Settings) Check() error {
	_, err := s.withDefaults()
	return err
}

// DefaultGain is the default of Settings.Gain. Maps go on changing for long: the
// 400th step of MNIST (70,000 digits, d = 2) still gains 5e-5 of the likelihood and
// that of 4,000 digits 4e-5, so that the rule loses nothing there and saves steps
// only where points are few or few kinds. 1e-4 ends MNIST after 301 steps, 0.7% of
// the likelihood lower (9-NN .9603 instead of .9605).
//
// With heavy tails steps that are saved are the last ones, which settle the map:
// 4,000 digits end with 1e-5 after 190 of 200 steps, 5e-5 of the likelihood lower;
// MNIST not even with 2e-4. So none is the default.
const DefaultGain = 1e-5

// preset are the defaults that depend on the model.
type preset struct {
	neighbors, steps int
	tolerance, gain  float64
}

func (s Settings) preset() preset {
	switch {
	case s.Tails == Gaussian:
		return preset{9, 400, 1e-2, DefaultGain}
	}
	return preset{6, 0, 0.1, 0} // steps and weight by the number of points: package student
}

// thoroughSteps is what Settings.Thorough multiplies the default by; finerTheta the
// same for cells, which fewer than fewPoints always have, as they cost them little.
const (
	thoroughSteps = 2.5
	finerTheta    = 2. / 3
	fewPoints     = 30_000
)

// withDefaults fills zero fields and checks the rest.
func (s Settings) withDefaults() (Settings, error) {
	or := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	orFloat := func(p *float64, v float64) {
		if *p == 0 {
			*p = v
		}
	}
	or(&s.Dims, DefaultDims)
	d := s.preset()
	or(&s.Neighbors, d.neighbors)
	or(&s.Core, 1)
	if s.Steps == 0 {
		orFloat(&s.Gain, d.gain)
	}
	or(&s.Steps, d.steps)
	orFloat(&s.Momentum, 0.9)
	if s.NoMomentum {
		s.Momentum = 0
	}
	orFloat(&s.Tolerance, d.tolerance)
	orFloat(&s.Floor, 1e-6)
	if s.Tails == Student {
		orFloat(&s.Tail, float64(s.Dims)/2)
		orFloat(&s.Sigma2, student.DefaultSigma2)
	}
	s.Lists = max(s.Lists, s.Neighbors)
	if err := s.checkRanges(); err != nil {
		return s, err
	}
	return s, s.checkTails()
}

// wrong returns a *SettingError unless ok.
func wrong(ok bool, name, format string, args ...any) error {
	if ok {
		return nil
	}
	return &SettingError{name, fmt.Sprintf(format, args...)}
}

func (s Settings) checkRanges() error {
	return first(
		wrong(s.Tails >= 0 && int(s.Tails) < len(tailNames), "tails", "there is no %v", s.Tails),
		wrong(s.Coarse >= 0 && int(s.Coarse) < len(coarseNames), "coarse", "there is no %v", s.Coarse),
		wrong(s.Scales >= 0 && int(s.Scales) < len(scaleNames), "scales", "there is no %v", s.Scales),
		wrong(s.Sigma >= 0 && int(s.Sigma) < len(sigmaNames), "sigma", "there is no %v", s.Sigma),
		wrong(s.Components == Connect || s.Components == Largest, "components", "there is no choice %d", int(s.Components)),
		checkSearch(s.Search),
		wrong(s.Dims >= 1, "dims", "%d, want at least 1", s.Dims),
		wrong(s.Neighbors >= 1, "neighbors", "%d, want at least 1", s.Neighbors),
		wrong(s.Core >= 1, "core", "%d, want at least 1", s.Core),
		wrong(s.Momentum >= 0 && s.Momentum < 1, "momentum", "%v is not in 0 to below 1", s.Momentum),
		wrong(s.Tolerance > 0 && s.Tolerance < 1, "tolerance", "%v is not between 0 and 1", s.Tolerance),
		wrong(s.Gain < 1, "gain", "%v is not below 1", s.Gain),
		wrong(s.Floor > 0 && s.Floor < 1, "floor", "%v is not between 0 and 1", s.Floor),
	)
}

// checkSearch names the setting of a search that makes no sense.
func checkSearch(s auto.Settings) error {
	only := auto.Settings{Recall: s.Recall}
	return first(
		wrong(only.Check() == nil, "recall", "%v", only.Check()),
		wrong(s.Check() == nil, "search", "%v", s.Check()),
	)
}

// checkTails refuses what has no meaning with the tails chosen.
func (s Settings) checkTails() error {
	if s.Tails == Gaussian {
		const only = "%v belongs to heavy tails; leave it out, or choose student tails"
		return first(
			wrong(s.Coarse == CoarseAuto || s.Coarse == CoarseInput, "coarse", "%v belongs to heavy tails; Gaussian tails go with input", s.Coarse),
			wrong(s.Scales == NativeScales, "scales", only, s.Scales),
			wrong(s.Sigma == SigmaFixed, "sigma", "%v belongs to heavy tails; with Gaussian tails variances are always learnt", s.Sigma),
			wrong(s.Tail == 0, "tail", only, s.Tail),
			wrong(s.Weight == 0, "weight", only, s.Weight),
			wrong(s.Sigma2 == 0, "sigma2", only, s.Sigma2),
			wrong(s.Theta == 0, "theta", only, s.Theta),
			wrong(!s.Thorough, "thorough", "it belongs to heavy tails; with Gaussian tails take more steps"),
		)
	}
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	const only = "it belongs to Gaussian tails; leave it out, or choose gaussian tails"
	return first(
		wrong(s.Dims <= MostDims, "dims", "%d, want at most %d: in more dimensions the powers of heavy tails leave the number range", s.Dims, MostDims),
		wrong(s.Coarse != CoarseInput, "coarse", "input belongs to Gaussian tails: landmarks in the input hide that points of different groups repel each other; take auto, map, shared, anchors or all"),
		wrong(s.Core == 1, "core", only),
		wrong(s.Level == LevelAuto, "level", only),
		wrong(s.Components == Connect, "components", "with heavy tails all components of the neighbour graph are learnt; leave it out, or choose gaussian tails"),
		wrong(positive(s.Tail), "tail", "%v is not a positive number", s.Tail),
		wrong(s.Weight == 0 || positive(s.Weight), "weight", "%v is not a positive number", s.Weight),
		wrong(positive(s.Sigma2), "sigma2", "%v is not a positive number", s.Sigma2),
		wrong(s.Coarse != CoarseMap || s.Dims <= mostCells, "coarse", "cells in the map are for up to %d dimensions, not for %d; take auto, shared or anchors", mostCells, s.Dims),
		wrong(!(s.Gain > 0) || s.Coarse == CoarseAll || s.Coarse == CoarseMap || s.Coarse == CoarseAuto && s.Dims <= mostCells, "gain",
			"the partners of coarse %v in %d dimensions are drawn anew in every step, which hides small gains; leave it out, or take coarse map or all", s.Coarse, s.Dims),
		wrong(s.Theta >= 0 && s.Theta <= 1, "theta", "%v is not between 0 and 1", s.Theta),
		wrong(s.Theta == 0 || s.Coarse == CoarseMap || s.Coarse == CoarseAuto && s.Dims <= mostCells, "theta",
			"%v is for cells in the map, which coarse %v in %d dimensions does not use; leave it out", s.Theta, s.Coarse, s.Dims),
	)
}

// first returns the first error of a list.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
