package student

import (
	"cmp"
	"math"

	"unfold/coarse/farfield"
	"unfold/models"
	"unfold/models/prior"
)

// MostDims is the largest dimension of a map. Beyond it, powers overflow.
const MostDims = 1000

// DefaultNeighbors is the default of k.
const DefaultNeighbors = 8

// Settings are the settings of a fit. The zero value is a good start: a zero field stands for the
// default in its comment.
type Settings struct {
	// Common holds the settings of all kinds. Neighbors is k, the number of near edges that a point
	// sends, by default DefaultNeighbors. Steps defaults to the function Steps, times 2.5 with
	// Thorough.
	models.Common
	Options
}

// Options are the settings of this model only.
type Options struct {
	// Momentum is beta of SM 43, in [0, 1). Default 0.9; NoMomentum makes it 0.
	Momentum   float64
	NoMomentum bool
	// Tolerance ends conjugate gradients, relative to the gradient. Default 0.1.
	Tolerance float64
	// Gain ends learning early, once the weight of dissimilar pairs is final. Learning ends if 10
	// steps together changed the likelihood by less than 10 times this share of it. The gain of
	// steps is known from the regular checks of the likelihood. By default, or if Gain is negative,
	// learning takes all steps.
	//
	// This would skip the last steps, which settle the map. With 1e-5, learning of 4,000 digits
	// ends after 190 of 200 steps, at a likelihood that is lower by 5e-5. MNIST takes all steps
	// even with 2e-4. So the default is none.
	Gain float64
	// Coarse selects the dissimilar pairs. The default is CoarseMap for up to three dimensions and
	// CoarseShared for more. Fewer than 2,000 points always have CoarseAll.
	Coarse models.Coarse
	// Scales selects the length scales of pairs. Default Native.
	Scales Scales
	// Density, gamma of H21, makes the density of the map follow the density of the data: local
	// radii on the map are about those in the data to the power of gamma. With the default 0,
	// clipped scales follow it only weakly.
	Density float64
	// Tail is a, the shape of the tails. Default Dims/2.
	Tail float64
	// Weight is c, the weight of an ordered dissimilar pair. Default that of the
	// function Weight, 0.086 but for few points.
	Weight float64
	// Sigma selects how the variances are learnt, and Sigma2 is their first value. The defaults are
	// Fixed and, by H23, 0.02 for up to 30,000 points and up to 0.1 for more.
	Sigma  Sigma
	Sigma2 float64
	// Prior keeps places near a frame, by default prior.Auto. Its weight falls from 0.1 to 1.8e-3,
	// and further for more than 30,000 points (H15). For 100,000 points and more on a map of up to
	// three dimensions, prior.Auto is the map of a sample (SampleOf).
	Prior prior.Settings
	// Reach is the rank of the farthest neighbour that further edges of a point lead to (H20). The
	// default is 7 Neighbors, and at most a tenth of all points; negative means no further edges.
	Reach int
	// RankDecay, p of H22, determines how fast the weights of a point's near edges fall from the
	// nearest to the last. Default DefaultRankDecay; negative means equal weights.
	RankDecay float64
	// Supervision, s of H24, is the influence of labels (Common.Labels) on learning, from 0 (none)
	// to 1. With 1, near edges between different labels have no weight unless all labels of a
	// point's neighbours differ from its own.
	Supervision float64
	// Further is the schedule of the weight of further edges. The default is that of the method
	// further.
	Further FurtherWeight
	// Single stores length scales in single precision, and in the plane and in space solves systems
	// in it, as for 5,000 points and more. It is for trials that predict the time of a fit of many
	// points.
	Single bool
	// Thorough takes two and a half times the steps, solves each to the tolerance, and uses finer
	// cells. Maps are a little better and take several times as long.
	Thorough bool
	// Theta is the accuracy of cells in the map; smaller is better. The default is that of package
	// farfield, or that of finerTheta for fewer than 5,000 points or with Thorough.
	Theta float64
}

// thoroughSteps is the factor of Options.Thorough on the default number of steps.
const thoroughSteps = 2.5

// finerTheta is the accuracy of cells by dimension, with Options.Thorough or for fewer than
// fewPoints points, for which it costs little time.
var finerTheta = []float64{0.1, 0.2, 0.4}

const fewPoints = 5_000

// mostDensity is the largest exponent Options.Density.
const mostDensity = 4

// mostCells is the largest number of dimensions for cells in the map. Their memory grows with its
// square, and the number of their sources even faster.
const mostCells = 3

// Check returns a *models.SettingError if a fit would reject the settings.
func (s Settings) Check() error {
	_, err := s.WithDefaults()
	return err
}

// WithDefaults replaces zero fields by their defaults and validates the rest. Steps and Weight stay
// zero, because their defaults depend on the number of points.
func (s Settings) WithDefaults() (Settings, error) {
	s.Dims = s.MapDims()
	s.Neighbors = cmp.Or(s.Neighbors, DefaultNeighbors)
	s.Lists = max(s.Lists, s.Neighbors)
	s.Momentum = cmp.Or(s.Momentum, 0.9)
	if s.NoMomentum {
		s.Momentum = 0
	}
	s.Tolerance = cmp.Or(s.Tolerance, 0.1)
	s.Tail = cmp.Or(s.Tail, float64(s.Dims)/2)
	s.RankDecay = cmp.Or(s.RankDecay, DefaultRankDecay)
	if err := s.Common.Check(); err != nil {
		return s, err
	}
	return s, cmp.Or(s.checkRanges(), s.checkField(), s.Prior.Check(-1, s.Dims), s.Prior.CheckDistance(s.Distance), s.checkPaths())
}

// checkPaths rejects settings that do not apply to the nodes of a graph.
func (s Settings) checkPaths() error {
	if s.Paths == nil {
		return nil
	}
	return s.Prior.CheckPaths()
}

// checkRanges validates each value by itself.
func (s Settings) checkRanges() error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	return cmp.Or(
		models.Require(scaleNames.Known(s.Scales), "scales", "there is no %v", s.Scales),
		models.Require(sigmaNames.Known(s.Sigma), "sigma", "there is no %v", s.Sigma),
		models.Require(s.Momentum >= 0 && s.Momentum < 1, "momentum", "%v is not in 0 to below 1", s.Momentum),
		models.Require(s.Tolerance > 0 && s.Tolerance < 1, "tolerance", "%v is not between 0 and 1", s.Tolerance),
		models.Require(s.Gain < 1, "gain", "%v is not below 1", s.Gain),
		models.Require(s.Dims <= MostDims, "dims", "%d, want at most %d: in more dimensions the powers of heavy tails leave the number range", s.Dims, MostDims),
		models.Require(positive(s.Tail), "tail", "%v is not a positive number", s.Tail),
		models.Require(s.Weight == 0 || positive(s.Weight), "weight", "%v is not a positive number", s.Weight),
		models.Require(s.Sigma2 == 0 || positive(s.Sigma2), "sigma2", "%v is not a positive number", s.Sigma2),
		models.Require(s.Further.From >= 0 && s.Further.To >= 0 && s.Further.From <= most && s.Further.To <= most, "further", "weights from %v to %v, want 0 to %g", s.Further.From, s.Further.To, float64(most)),
		models.Require(s.RankDecay <= mostRankDecay, "rank decay", "%v is more than %v", s.RankDecay, float64(mostRankDecay)),
		models.Require(s.Density >= 0 && s.Density <= mostDensity, "density", "%v is not in 0 to %v", s.Density, float64(mostDensity)),
		models.Require(s.Density == 0 || s.Scales == Native, "density", "%v goes with native scales, not with %v", s.Density, s.Scales),
		models.Require(s.Supervision >= 0 && s.Supervision <= 1, "supervision", "%v is not in 0 to 1", s.Supervision),
		models.Require(s.Theta >= 0 && s.Theta <= 1, "theta", "%v is not between 0 and 1", s.Theta),
	)
}

// checkField rejects settings that do not fit the kind of field.
func (s Settings) checkField() error {
	cells := s.Coarse == models.CoarseMap || s.Coarse == models.CoarseAuto && s.Dims <= mostCells
	return cmp.Or(
		models.Require(s.Coarse.Known(), "coarse", "there is no %v", s.Coarse),
		models.Require(s.Coarse != models.CoarseInput, "coarse", "input belongs to Gaussian tails: landmarks in the input hide that points of different groups repel each other; take auto, map, shared or all"),
		models.Require(s.Coarse != models.CoarseMap || s.Dims <= mostCells, "coarse", "cells in the map are for up to %d dimensions, not for %d; take auto or shared", mostCells, s.Dims),
		models.Require(!(s.Gain > 0) || s.Coarse == models.CoarseAll || cells, "gain",
			"the partners of coarse %v in %d dimensions are drawn again in every step, which hides small gains; leave it out, or take coarse map or all", s.Coarse, s.Dims),
		models.Require(s.Theta == 0 || cells, "theta",
			"%v is for cells in the map, which coarse %v in %d dimensions does not use; leave it out", s.Theta, s.Coarse, s.Dims),
	)
}

// Outline implements models.Learning.
func (s Settings) Outline(n int) models.Outline {
	s, _ = s.WithDefaults()
	out := models.Outline{Dims: s.Dims, Neighbors: s.Neighbors, Steps: s.steps(n), Coarse: s.coarse(n), Warnings: s.warnings(n)}
	if out.Coarse == models.CoarseMap {
		out.Theta = s.theta(n)
	}
	return out
}

// priorFrom and priorTo are the default weights of the prior. kappa times the squared extent of a
// map, which grows with n, is kept constant.
const (
	priorFrom = 0.1
	priorTo   = 1.8e-3
)

// fall returns the weight of the prior on a map of n points,
//
//	kappa from 0.1 f(n)^2 to 1.8e-3 f(n), f(n) = min(1, 30,000/n)^(3/2).
//
// With a heavier prior at first, large groups that overlap in the frame break into pieces with
// other groups between them. In the map of a sample, groups do not overlap, so near it the first
// kappa is 0.1 for any n.
func (s Settings) fall(n int) prior.Schedule {
	if s.Prior.Schedule != (prior.Schedule{}) {
		return s.Prior.Schedule
	}
	if s.SampleOf(n) > 0 {
		return prior.Schedule{From: priorFrom, To: priorTo * ofMany(n)}
	}
	return prior.Schedule{From: priorFrom * ofMany(n) * ofMany(n), To: priorTo * ofMany(n)}
}

// variance returns sigma^2 on a map of n points,
//
//	sigma^2 = min(0.02 / f(n)^2, 0.1),  f(n) = min(1, 30,000/n)^(3/2).               (H23)
//
// With small variances, close points can come closer and their order is preserved better. But large
// groups that overlap at first then pass through each other less easily and keep more tears.
func (s Settings) variance(n int) float64 {
	if s.Sigma2 != 0 {
		return s.Sigma2
	}
	return min(DefaultSigma2/(ofMany(n)*ofMany(n)), mostSigma2)
}

// coarse returns the kind of field for a map of n points. Few points always have CoarseAll.
func (s Settings) coarse(n int) models.Coarse {
	switch {
	case n < farfield.ExactBelow:
		return models.CoarseAll
	case s.Coarse != models.CoarseAuto:
		return s.Coarse
	case s.Dims <= mostCells:
		return models.CoarseMap
	}
	return models.CoarseShared
}

// theta returns the accuracy of cells in a map of n points.
func (s Settings) theta(n int) float64 {
	if s.Theta != 0 {
		return s.Theta
	}
	if s.Thorough || n < fewPoints {
		return finerTheta[min(max(s.Dims, 1), len(finerTheta))-1]
	}
	return farfield.DefaultTheta(s.Dims)
}

// steps returns the number of steps of a fit of n points.
func (s Settings) steps(n int) int {
	switch {
	case s.Steps != 0:
		return max(s.Steps, 0)
	case s.SampleOf(n) > 0:
		return int(sampleSteps * float64(s.recipe(n)))
	}
	return s.recipe(n)
}

// recipe returns the default number of steps of a fit of n points that does not start from a
// sample.
func (s Settings) recipe(n int) int {
	steps := Steps(n, s.Dims)
	if s.Thorough {
		return int(thoroughSteps * float64(steps))
	}
	return steps
}
