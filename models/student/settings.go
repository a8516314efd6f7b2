package student

import (
	"cmp"
	"math"

	"unfold/coarse/farfield"
	"unfold/models"
	"unfold/models/prior"
)

// MostDims is the largest dimension of a map: beyond, powers leave the number range.
const MostDims = 1000

// DefaultNeighbors is k if none is named.
const DefaultNeighbors = 8

// Settings of a fit. The zero value is a good start: every zero field stands for the
// default named beside it.
type Settings struct {
	// Common has k = Neighbors, the edges that a point sends, default DefaultNeighbors,
	// and Steps, by default the function Steps, with Thorough 200.
	models.Common
	Options
}

// Options are the settings that only this model has.
type Options struct {
	// Momentum is beta of SM 43, in [0, 1). Default 0.9; NoMomentum makes it 0.
	Momentum   float64
	NoMomentum bool
	// Tolerance is where conjugate gradients stop, relative to the gradient. Default 0.1.
	Tolerance float64
	// Gain ends learning before its last step, once the weight of dissimilar pairs is
	// final: when 10 steps together have moved the likelihood by less than 10 times
	// this share of it. What steps gain follows from looks at the likelihood that they
	// need anyway. Default, and if it is negative: never.
	//
	// Steps that are saved are the last ones, which settle the map: 4,000 digits end
	// with 1e-5 after 190 of 200 steps, 5e-5 of the likelihood lower; MNIST not even
	// with 2e-4. So none is the default.
	Gain float64
	// Coarse says what points are held against beside their neighbours: CoarseMap for
	// up to three dimensions and CoarseShared for more by default. Fewer than 2,000
	// points always have CoarseAll.
	Coarse models.Coarse
	// Scales are the length scales of pairs. Default Native.
	Scales Scales
	// Density, gamma of H21, lets the density of the map follow the data's: local radii on
	// the map are about those in the data to the power of gamma. Default 0, with which
	// clipped scales follow it as far as neighbours say.
	Density float64
	// Tail is a, the shape of the tails. Default Dims/2.
	Tail float64
	// Weight is c, the weight of an ordered dissimilar pair. Default that of the
	// function Weight, 0.086 but for few points.
	Weight float64
	// Sigma says what becomes of the variances, which begin at Sigma2. Defaults Fixed
	// and, by H23, 0.02 for up to 30,000 points and up to 0.1 for more.
	Sigma  Sigma
	Sigma2 float64
	// Prior keeps places near a frame, by default prior.Auto, with a weight
	// that falls from 0.1 to 1.8e-3, and for more than 30,000 points further, see H15. Of
	// 100,000 points and more on a map of up to three dimensions, prior.Auto is the map of a
	// sample (SampleOf).
	Prior prior.Settings
	// Reach is the rank of the furthest neighbour that a point sends an edge to beside
	// the nearest (H20). Default 7 Neighbors, and at most a tenth of all points; negative
	// means none.
	Reach int
	// RankDecay, p of H22, is how fast the weights of a point's near edges fall from the
	// nearest to the last. Default DefaultRankDecay; negative means that all weigh the same.
	RankDecay float64
	// Supervision, s of H24, is how much labels (Common.Labels) take part in learning: from 0, not
	// at all, to 1, where a near edge between unlike labels weighs nothing beside one between like ones.
	Supervision float64
	// Further is the weight of these edges. Default that of the method further: from 1 to
	// 0.2, less for more than 30,000 points.
	Further FurtherWeight
	// Single keeps length scales, and in the plane and in space systems, in single precision, as of
	// 30,000 points and more they are anyway. It is for trials that shall take the time of many.
	Single bool
	// Thorough takes two and a half times the steps, each solved to the tolerance,
	// with finer cells: a little better, and several times as long.
	Thorough bool
	// Theta is the accuracy of cells in the map, smaller is better. Default: that
	// of package farfield, two thirds of it for fewer than 30,000 points or if
	// Thorough.
	Theta float64
}

// thoroughSteps is what Options.Thorough multiplies the default by.
const thoroughSteps = 2.5

// finerTheta is the accuracy of cells by dimension with Options.Thorough, and of fewer than
// fewPoints always, as it costs them little.
var finerTheta = []float64{0.1, 0.2, 0.4}

const fewPoints = 30_000

// mostDensity is the largest exponent: radii differ tenfold, squared.
const mostDensity = 4

// mostCells is the largest number of dimensions for cells in the map: their memory
// grows with the square of it, and their sources faster.
const mostCells = 3

// Check returns a *models.SettingError if a fit would refuse the settings.
func (s Settings) Check() error {
	_, err := s.WithDefaults()
	return err
}

// WithDefaults fills zero fields and checks the rest. Steps and Weight, which the
// number of points decides, stay zero.
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

// checkPaths refuses what the points of a graph do not have.
func (s Settings) checkPaths() error {
	if s.Paths == nil {
		return nil
	}
	return s.Prior.CheckPaths()
}

// checkRanges refuses single values.
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

// checkField refuses what does not go with what points are held against.
func (s Settings) checkField() error {
	cells := s.Coarse == models.CoarseMap || s.Coarse == models.CoarseAuto && s.Dims <= mostCells
	return cmp.Or(
		models.Require(s.Coarse.Known(), "coarse", "there is no %v", s.Coarse),
		models.Require(s.Coarse != models.CoarseInput, "coarse", "input belongs to Gaussian tails: landmarks in the input hide that points of different groups repel each other; take auto, map, shared, anchors or all"),
		models.Require(s.Coarse != models.CoarseMap || s.Dims <= mostCells, "coarse", "cells in the map are for up to %d dimensions, not for %d; take auto, shared or anchors", mostCells, s.Dims),
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

// Defaults of the weight of the prior. Kappa times the squared extent of a map, which
// grows with n, stays what it is.
const (
	priorFrom = 0.1
	priorTo   = 1.8e-3
)

// fall returns the weight of the prior on a map of n points,
//
//	kappa from 0.1 f(n)^2 to 1.8e-3 f(n), f(n) = min(1, 30,000/n)^(3/2).
//
// Held more firmly at first, groups of many points that the frame lays over each other
// come apart in pieces, with others between them. In the map of a sample they lie apart: near
// that the first kappa is 0.1 for any n.
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
// Small variances let near points come nearer, which shows more of the order among them.
// Groups of many points that lie over each other at first pass through each other less
// easily then, and keep more tears.
func (s Settings) variance(n int) float64 {
	if s.Sigma2 != 0 {
		return s.Sigma2
	}
	return min(DefaultSigma2/(ofMany(n)*ofMany(n)), mostSigma2)
}

// coarse returns what points of a map of n are held against: if they are few, all,
// whatever was asked for.
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

// steps returns how many a fit of n points takes.
func (s Settings) steps(n int) int {
	switch {
	case s.Steps != 0:
		return max(s.Steps, 0)
	case s.SampleOf(n) > 0:
		return int(sampleSteps * float64(s.recipe(n)))
	}
	return s.recipe(n)
}

// recipe is the default of steps for a fit of n points that starts from no sample.
func (s Settings) recipe(n int) int {
	steps := Steps(n, s.Dims)
	if s.Thorough {
		return int(thoroughSteps * float64(steps))
	}
	return steps
}
