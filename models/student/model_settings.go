package student

import (
	"fmt"
	"math"

	"unfold/models/prior"
)

// Majoriser names the diagonal Gamma of the mu step (H5).
type Majoriser int

const (
	// AutoMajoriser is Far where that is defined, otherwise Force.
	AutoMajoriser Majoriser = iota
	// EM is the diagonal of the E-step. With damping 1 and no momentum, the likelihood never falls.
	// It is slow.
	EM
	// Global is the tighter bound for d = 2, a = 1 (H8). It is monotone like EM.
	Global
	// Local is tighter still. It is valid for steps in which no pair shrinks below 1/sqrt 2 of its
	// distance.
	Local
	// Far uses the value of Local at far pairs for all pairs (H8). It needs no division of its own,
	// and maps are equally good.
	Far
	// Force is sum_j V_ij plus 5% of the diagonal of Lap(W). It is defined for any d, but not
	// proven monotone.
	Force
)

// Sigma selects how the variances are learnt.
type Sigma int

const (
	// Fixed variances stay as they are.
	Fixed Sigma = iota
	// Shared is one variance for all points, updated by EM.
	Shared
	// Free is a variance for every point, updated by EM.
	Free
)

// Defaults.
const (
	DefaultSigma2 = 0.02  // sigma^2 on a map of up to 30,000 points
	DefaultWeight = 0.086 // c, the weight of one ordered dissimilar pair
	// LeastRatio and MostRatio are the least default of sum D / sum S for points of a low and of a
	// high intrinsic dimension (Intrinsic). With few points, DefaultWeight alone would give less.
	LeastRatio, MostRatio = 100, 250
)

// Weight returns the default of c for n points of the intrinsic dimension dim (0 if it is unknown) and
// the given number of edges,
//
//	max(DefaultWeight, min(1, r edges/(n(n-1)))),  r from LeastRatio to MostRatio.              (H11)
//
// The first term decides for some ten thousand points and more. 1 is the weight of an edge. The second
// term raises R_NX and recall of 10 (docs/decisions/heavy-tails.md).
func Weight(n int, edges, dim float64) float64 {
	if n < 2 {
		return DefaultWeight
	}
	return max(DefaultWeight, min(1, ratio(dim)*edges/(float64(n)*float64(n-1))))
}

// farDamping returns the default of ModelSettings.Damping for Far with the weight c,
//
//	0.005 min(4, max(1, c/DefaultWeight)).
//
// The heavier the weight, the less far fields cancel. With 0.005 for all weights, steps overshoot
// if many points without inner structure have a weight of 0.3 and more. Three such groups, 1,000
// points in 64 dimensions, then have a trustworthiness of .877 instead of .905, and with three
// times the weight the groups dissolve: .56 (docs/decisions/refresh.md).
func farDamping(c float64) float64 { return 0.005 * min(4, max(1, c/DefaultWeight)) }

// Steps returns the default number of steps for n points in d dimensions: 2,400,000/n between 80
// and 200, for d > 3 3,000,000/n between 50 and 200. Small maps get more, because their steps are
// cheap.
func Steps(n, d int) int {
	least, total := 80, 2_400_000
	if d > 3 {
		least, total = 50, 3_000_000
	}
	return max(least, min(200, total/max(n, 1)))
}

// ModelSettings are the settings of the model and of learning. The zero value selects the defaults.
type ModelSettings struct {
	// Tail is a of H1. The default is d/2, which needs no powers.
	Tail float64
	// Weight is c = D_ij at the end of learning. The default is that of the function Weight.
	Weight float64
	// Majoriser and Damping (eta) define the diagonal eta Gamma of the mu step. Damping defaults to
	// 0.005 to 0.02 for Far, by the weight (farDamping), to 0.01 for Local and to 1 for others. If
	// many far pairs cancel, these are 10 to 100 times faster than 1, but not proven monotone.
	// Check guards against falls.
	Majoriser Majoriser
	Damping   float64
	// Single sums the repulsion in single precision in the plane (d = 2, a = 1, Far) and in space
	// (d = 3, a = 3/2, Force). The error is some 1e-6 of the sum of magnitudes, far below that of
	// cells. It has no effect otherwise.
	Single bool
	// Momentum is beta of SM 43, in [0, 1). Default 0.9; NoMomentum makes it 0.
	Momentum   float64
	NoMomentum bool
	// Tolerance and Sweeps end conjugate gradients. Tolerance is relative to the gradient; default
	// 0.1. Sweeps is the largest number of iterations: by default 20 if systems are in single
	// precision (singleSystem), else 12 for d <= 3 and 6 for others. Negative means no limit.
	Tolerance float64
	Sweeps    int
	// Sigma selects how variances are learnt. Floor is their absolute lower bound.
	Sigma Sigma
	Floor float64
	// Steps is the number of steps. The default is that of the function Steps; negative means none.
	// The first quarter has Ratio, the next half a geometric ramp, the last quarter the final
	// weight. Phases sets these three numbers directly.
	Steps  int
	Phases [3]int
	// Ratio is the upper bound of sum D / sum S at the start. Default 5.
	Ratio float64
	// Further is the schedule of the weight of further edges. It falls as the weight of dissimilar
	// pairs rises.
	Further FurtherWeight
	// Check is the number of steps between checks of the likelihood while the weight is constant
	// (see Learn). Default 10; negative means no checks.
	Check int
	// Gain ends learning early during the phase of final weight. Learning ends if the likelihood
	// changed by less than Gain |L| per step since the last check. Default none. It has no effect
	// without checks.
	Gain float64
	// Threads bounds the goroutines; 0 means GOMAXPROCS. The result does not
	// depend on it.
	Threads int
}

// withDefaults replaces zero fields by the defaults for a map of n points in d dimensions and
// validates the rest. edges is the sum of S, dim the points' Intrinsic; single is singleSystem.
func (s ModelSettings) withDefaults(n, d int, edges, dim float64, single bool) (ModelSettings, error) {
	plane := func() bool { return d == 2 && s.Tail == 1 }
	or := func(p *float64, v float64) {
		if *p == 0 {
			*p = v
		}
	}
	orInt := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	or(&s.Tail, float64(d)/2)
	or(&s.Weight, Weight(n, edges, dim))
	if s.Majoriser == AutoMajoriser {
		s.Majoriser = Force
		if plane() {
			s.Majoriser = Far
		}
	}
	switch s.Majoriser {
	case Far:
		or(&s.Damping, farDamping(s.Weight))
	case Local:
		or(&s.Damping, 0.01)
	}
	or(&s.Damping, 1)
	or(&s.Momentum, 0.9)
	if s.NoMomentum {
		s.Momentum = 0
	}
	or(&s.Tolerance, 0.1)
	orInt(&s.Sweeps, sweeps(d, single))
	orInt(&s.Steps, Steps(n, d))
	if s.Phases == [3]int{} && s.Steps > 0 {
		s.Phases = prior.Phases(s.Steps)
	}
	or(&s.Ratio, 5)
	orInt(&s.Check, 10)
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch {
	case d < 1:
		return s, fmt.Errorf("student: dims is %d, want at least 1", d)
	case !positive(s.Tail):
		return s, fmt.Errorf("student: tail is %v, want a positive number", s.Tail)
	case !positive(s.Weight):
		return s, fmt.Errorf("student: weight is %v, want a positive number", s.Weight)
	case !positive(s.Damping):
		return s, fmt.Errorf("student: damping is %v, want a positive number", s.Damping)
	case !positive(s.Ratio):
		return s, fmt.Errorf("student: ratio is %v, want a positive number", s.Ratio)
	case !(s.Momentum >= 0 && s.Momentum < 1):
		return s, fmt.Errorf("student: momentum is %v, want 0 <= momentum < 1", s.Momentum)
	case !(s.Tolerance > 0 && s.Tolerance < 1):
		return s, fmt.Errorf("student: tolerance is %v, want 0 < tolerance < 1", s.Tolerance)
	case !(s.Floor >= 0) || math.IsInf(s.Floor, 0):
		return s, fmt.Errorf("student: floor is %v, want a number of at least 0", s.Floor)
	case !(s.Gain >= 0 && s.Gain < 1):
		return s, fmt.Errorf("student: gain is %v, want 0 <= gain < 1", s.Gain)
	case s.Majoriser < EM || s.Majoriser > Force:
		return s, fmt.Errorf("student: unknown majoriser %d", s.Majoriser)
	case (s.Majoriser == Global || s.Majoriser == Local || s.Majoriser == Far) && !plane():
		return s, fmt.Errorf("student: the majoriser is known for d = 2, a = 1 only, not for d = %d, a = %v: use EM or Force", d, s.Tail)
	case s.Sigma < Fixed || s.Sigma > Free:
		return s, fmt.Errorf("student: unknown sigma setting %d", s.Sigma)
	case min(s.Phases[0], s.Phases[1], s.Phases[2]) < 0:
		return s, fmt.Errorf("student: phases are %v, want no negative numbers", s.Phases)
	}
	return s, nil
}

// sweeps returns the default of ModelSettings.Sweeps.
func sweeps(d int, single bool) int {
	switch {
	case single:
		return 20
	case d > 3:
		return 6
	}
	return 12
}
