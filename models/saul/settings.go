package saul

import (
	"cmp"

	"unfold/models"
	"unfold/models/prior"
	"unfold/sparse/graph"
)

// Level is the number of times that the dissimilar pairs are coarse-grained. With the zero value
// Fit chooses it by the number of points. A positive Level is the paper's l (l >= 1);
// NoCoarseGraining is l = 0.
type Level int

const (
	// LevelAuto is NoCoarseGraining for up to 1,000 points, 1 for up to 200,000, and 2 beyond.
	// Without coarse-graining, small maps have better neighbours: on MNIST the 9-NN leave-one-out
	// accuracy is 0.83 instead of 0.77 (level 1) at n = 500, 0.84 instead of 0.83 at n = 1,000, and
	// 0.86 for both at n = 2,000. But a fit takes 20 times as long, growing as n^2.
	LevelAuto Level = 0
	// NoCoarseGraining keeps every dissimilar pair (l = 0). A step costs O(n^2).
	NoCoarseGraining Level = -1
)

// LevelOf returns the Level of the paper's l; a negative l gives LevelAuto.
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

// Components is the treatment of a disconnected neighbour graph.
type Components = graph.Components

const (
	// Connect joins the components by the shortest bridges, so that every row is learnt.
	Connect = graph.Connect
	// Largest learns only the largest component, as the paper does. Other rows are placed
	// afterwards and flagged as unlearnt. Among equal components it takes the one with the first
	// row. Package fit rejects a map in which the other rows have no positions of their own.
	Largest = graph.Largest
)

// Defaults of Settings.
const (
	DefaultNeighbors = 9
	DefaultSteps     = 400
	// DefaultGain is the default of Options.Gain. It saves steps only on small or simple data sets.
	// Large maps keep changing for long: the 400th step of MNIST (70,000 digits, d = 2) still gains
	// 5e-5 of the likelihood, and that of 4,000 digits 4e-5. A gain of 1e-4 ends MNIST after 301
	// steps with a likelihood 0.7% lower (9-NN .9603 instead of .9605).
	DefaultGain = 1e-5
	// DefaultFloor is that of Options.Floor.
	DefaultFloor = 1e-6
)

// Settings are the settings of a fit. Every zero field means the default named in its comment, and
// the zero value is a good start.
type Settings struct {
	// Common has the settings of all kinds. Neighbors is k of eq 22, default DefaultNeighbors;
	// Steps has the default DefaultSteps.
	models.Common
	Options
}

// Options are the settings that only this model has.
type Options struct {
	// Momentum is beta of SM 43, in [0, 1). Default 0.9; NoMomentum makes it 0.
	Momentum   float64
	NoMomentum bool
	// Tolerance ends conjugate gradients, relative to the gradient (the residual at the present
	// mu). It is not relative to the right-hand side of eq 20, which would stop learning. Default
	// 0.01.
	Tolerance float64
	// Gain ends learning early, when 10 steps together have raised the likelihood by less than 10
	// times this share of it. The estimate of the rise uses gradients that steps compute anyway. A
	// negative value disables it. Default DefaultGain if Steps has its default, otherwise disabled.
	Gain float64
	// Coarse chooses the targets of repulsion besides a point's neighbours. This model has only
	// landmarks in the input, models.CoarseInput, which is also what models.CoarseAuto selects.
	Coarse models.Coarse
	// Core is s of eq 23: pairs that reach each other within s steps along the
	// neighbour graph are similar. Default 1.
	Core int
	// Level is l, the number of coarse-grainings. Default LevelAuto.
	Level Level
	// Shared gives all points one variance (Fig S4). Maps are then worse.
	Shared bool
	// Prior keeps positions near a frame. The default is no prior, as in the paper. Its weights are
	// in units of 1 over the median squared length scale of similar pairs.
	Prior prior.Settings
	// Components is the treatment of a disconnected neighbour graph. Default Connect.
	Components Components
	// Floor bounds squared scales from below, relative to the median squared edge scale delta^2:
	// delta^2 >= Floor and sigma^2 >= Floor^2, each times the median. It keeps the likelihood of
	// near duplicates finite. Default DefaultFloor.
	Floor float64
}

// Check returns a *models.SettingError if a fit would reject the settings.
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
