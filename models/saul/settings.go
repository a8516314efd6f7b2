package saul

import (
	"cmp"

	"unfold/models"
	"unfold/models/prior"
	"unfold/sparse/graph"
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

// Components says what becomes of a disconnected neighbour graph.
type Components = graph.Components

const (
	// Connect adds the shortest bridges between components: every row is learnt.
	Connect = graph.Connect
	// Largest is the paper: only the largest component is learnt, other rows
	// are placed afterwards and flagged as unlearnt. Of equal components it is that
	// with the first row. Package fit refuses a map in which the others have no
	// places of their own.
	Largest = graph.Largest
)

// Defaults of Settings.
const (
	DefaultNeighbors = 9
	DefaultSteps     = 400
	// DefaultGain is the default of Options.Gain. Maps go on changing for long: the
	// 400th step of MNIST (70,000 digits, d = 2) still gains 5e-5 of the likelihood and
	// that of 4,000 digits 4e-5, so that the rule loses nothing there and saves steps
	// only where points are few or few kinds. 1e-4 ends MNIST after 301 steps, 0.7% of
	// the likelihood lower (9-NN .9603 instead of .9605).
	DefaultGain = 1e-5
	// DefaultFloor is that of Options.Floor.
	DefaultFloor = 1e-6
)

// Settings of a fit. The zero value is a good start: every zero field stands
// for the default named beside it.
type Settings struct {
	// Common has k of eq 22, Neighbors, default DefaultNeighbors, and Steps, default
	// DefaultSteps.
	models.Common
	Options
}

// Options are the settings that only this model has.
type Options struct {
	// Momentum is beta of SM 43, in [0, 1). Default 0.9; NoMomentum makes it 0.
	Momentum   float64
	NoMomentum bool
	// Tolerance is where conjugate gradients stop, relative to the gradient
	// (the residual at the present mu; never to the right-hand side of eq 20,
	// which would stop learning). Default 0.01.
	Tolerance float64
	// Gain ends learning before its last step: when 10 steps together have moved
	// the likelihood by less than 10 times this share of it. What steps gain follows
	// from gradients that they need anyway. Negative means never. Default DefaultGain
	// if Steps is left at its default, else never.
	Gain float64
	// Coarse is what points are held against beside their neighbours: landmarks in the
	// input, models.CoarseInput, which models.CoarseAuto stands for.
	Coarse models.Coarse
	// Core is s of eq 23: pairs that reach each other within s steps along the
	// neighbour graph are similar. Default 1.
	Core int
	// Level is l, the number of coarse-grainings. Default LevelAuto.
	Level Level
	// Shared ties the variances: all points have one (Fig S4, where it makes the worse map).
	Shared bool
	// Prior keeps places near a frame, by default none: that is the paper's model. The
	// unit of its weights is 1 over the median squared length scale of similar pairs.
	Prior prior.Settings
	// Components says what happens if the neighbour graph is disconnected.
	// Default Connect.
	Components Components
	// Floor bounds squared scales from below, relative to the median squared
	// edge scale delta^2: delta^2 >= Floor, sigma^2 >= Floor^2 (each times the
	// median). It keeps near duplicates from degenerating. Default DefaultFloor.
	Floor float64
}

// Check returns a *models.SettingError if a fit would refuse the settings.
func (s Settings) Check() error {
	_, err := s.WithDefaults()
	return err
}

// Outline implements models.Learning.
func (s Settings) Outline(n int) models.Outline {
	s, _ = s.WithDefaults()
	return models.Outline{Dims: s.Dims, Neighbors: s.Neighbors, Steps: max(s.Steps, 0), Level: s.Level.Resolve(n), Coarse: models.CoarseInput}
}

// checkPaths refuses frames that the points of a graph do not have.
func (s Settings) checkPaths() error {
	if s.Paths == nil || s.Prior.Frame == prior.Auto || s.Prior.Frame == prior.None {
		return nil
	}
	return s.Prior.CheckPaths()
}

// WithDefaults fills zero fields and checks the rest.
func (s Settings) WithDefaults() (Settings, error) {
	s.Dims = s.MapDims()
	s.Neighbors = cmp.Or(s.Neighbors, DefaultNeighbors)
	s.Lists = max(s.Lists, s.Neighbors)
	s.Core = cmp.Or(s.Core, 1)
	if s.Steps == 0 {
		s.Gain = cmp.Or(s.Gain, DefaultGain)
	}
	s.Steps = cmp.Or(s.Steps, DefaultSteps)
	s.Momentum = cmp.Or(s.Momentum, 0.9)
	if s.NoMomentum {
		s.Momentum = 0
	}
	s.Tolerance = cmp.Or(s.Tolerance, 1e-2)
	s.Floor = cmp.Or(s.Floor, DefaultFloor)
	if err := s.Common.Check(); err != nil {
		return s, err
	}
	return s, cmp.Or(
		s.Prior.Check(-1, s.Dims),
		s.checkPaths(),
		models.Require(s.Components == Connect || s.Components == Largest, "components", "there is no choice %d", int(s.Components)),
		models.Require(s.Core >= 1, "core", "%d, want at least 1", s.Core),
		models.Require(s.Momentum >= 0 && s.Momentum < 1, "momentum", "%v is not in 0 to below 1", s.Momentum),
		models.Require(s.Tolerance > 0 && s.Tolerance < 1, "tolerance", "%v is not between 0 and 1", s.Tolerance),
		models.Require(s.Gain < 1, "gain", "%v is not below 1", s.Gain),
		models.Require(s.Floor > 0 && s.Floor < 1, "floor", "%v is not between 0 and 1", s.Floor),
		models.Require(s.Coarse == models.CoarseAuto || s.Coarse == models.CoarseInput, "coarse", "%v belongs to heavy tails; Gaussian tails go with input", s.Coarse),
	)
}
