package fit

import (
	"unfold/internal/setting"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/lllvm"
	"unfold/models/saul"
)

// sampled are the settings of kinds that learn a sample of the points.
type sampled struct {
	Points setting.Auto `key:"points" after:"steps" default:"auto" help:"most points that are learnt, a sample of all; the others are placed by them. auto is 1000. isomap learns all points: for it these are landmarks, and auto is 250 to 1000." placeholder:"N"`
}

// wide is the setting of textbook kinds that use Gaussians.
type wide struct {
	Width setting.Number `key:"width" after:"points" default:"auto" help:"width of the Gaussians of the kernel, or of the basis functions, relative to the default; auto is 1." placeholder:"X"`
}

// restarted is the setting of kinds with several starts.
type restarted struct {
	Restarts int `key:"restarts" default:"1" help:"starts, of which the one with the best bound or likelihood is kept." placeholder:"N" min:"1"`
}

// linearSettings are the settings that only kind LLLVM has.
type linearSettings struct {
	Sampled    sampled      `key:""`
	Restarted  restarted    `key:""`
	Patch      setting.Auto `key:"patch" default:"auto" help:"approximate number of points of a patch, for bounds in patches; auto is all points up to 2500, and 1000 if more are learnt." placeholder:"N"`
	LearnAlpha bool         `key:"learn_alpha" help:"learn the precision of the prior that holds the map near zero, instead of 0.001. The map may shrink to a point."`
}

// Apply implements Settings.
func (f *linearSettings) Apply(g Given, s *Spec) {
	o := lllvm.Options{
		Points: int(f.Sampled.Points), Restarts: f.Restarted.Restarts, LearnAlpha: f.LearnAlpha,
		Patch: int(f.Patch),
	}
	if g.Neighbors[1] > g.Neighbors[0] {
		o.MaxNeighbors = g.Neighbors[1]
	}
	if g.Dims[1] > g.Dims[0] {
		o.MaxDims = g.Dims[1]
	}
	var parts saul.Components
	setChoice(&parts, g.Components)
	o.Largest = parts == saul.Largest
	s.LLLVM = o
}

// processSettings are the settings that only kind GPLVM has.
type processSettings struct {
	Sampled   sampled    `key:""`
	Restarted restarted  `key:""`
	Kernel    string     `key:"kernel" after:"learn_alpha" default:"rbf+bias+white" help:"the covariance, a sum of rbf, linear, mlp, bias and white." placeholder:"SUM"`
	Start     string     `key:"start" default:"pca" choices:"pca,isomap,graph" help:"where learning starts: at principal components, at distances along the data (Isomap), or at the map that kind lvm makes."`
	Optimizer string     `key:"optimizer" default:"scg" choices:"scg,lbfgs" help:"optimizer: scaled conjugate gradients, or L-BFGS, which takes about half as many gradients for a step."`
	Noise     string     `key:"noise" default:"gaussian" choices:"gaussian,probit" help:"noise model: gaussian is for numbers, probit for columns of 0 and 1, for which decode returns the probability of 1. probit learns by an active set, of 100 points if active is 0, and without pca."`
	Active    int        `key:"active" default:"0" help:"number of points of the active set, for learning some thousands of points (--points); steps are then its rounds, and auto is 15. 0 learns all together. With supervision it is the number of inducing inputs, and 0 means 30." placeholder:"N" min:"0"`
	Jumps     int        `key:"jumps" default:"0" help:"how often learning stops and lets single points jump to likelier places of others; a few jumps find better maps if points were caught on the wrong side of others." placeholder:"N" min:"0"`
	Smooth    bool       `key:"smooth" help:"place by a smooth map from vectors to places, in microseconds, instead of where they are most likely, in milliseconds."`
	Supervise supervised `key:""`
}

// Apply implements Settings.
func (f *processSettings) Apply(_ Given, s *Spec) {
	s.GPLVM = gplvm.Options{
		Points: int(f.Sampled.Points), Restarts: f.Restarted.Restarts, Kernel: f.Kernel, Smooth: f.Smooth,
		Start: f.Start, Optimizer: f.Optimizer, Active: f.Active, Jumps: f.Jumps, Noise: f.Noise, Supervision: f.Supervise.Supervise,
	}
}
