package student

import (
	"fmt"
	"math"

	"unfold/models/prior"
)

// Majoriser names the diagonal Gamma of the mu step (H5).
type Majoriser int

const (
	// AutoMajoriser is Far where it is defined and Force elsewhere.
	AutoMajoriser Majoriser = iota
	// EM is the diagonal of the E-step: with damping 1 and no momentum the
	// likelihood never falls. Slow.
	EM
	// Global is the tighter bound for d = 2, a = 1 (H8), as safe as EM.
	Global
	// Local is tighter still, for steps in which no pair shrinks below 1/sqrt 2.
	Local
	// Far is what Local is for far pairs, taken for all (H8): it costs no
	// division of its own, and maps come out alike.
	Far
	// Force is sum_j V_ij plus 5% of the diagonal of Lap(W), for any d, without
	// a proof.
	Force
)

// Sigma says how the variances are learnt.
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
	// LeastRatio is what sum D / sum S comes to at least by default, which few
	// points would not reach with the weight alone.
	LeastRatio = 100
)

// Weight returns the default of c for n points with so many edges,
//
//	max(DefaultWeight, min(1, LeastRatio edges/(n(n-1)))).
//
// The first holds for thousands of points and more, whatever their number; 1 is
// the weight of an edge. Maps
// of 700 to 3,000 points are the better for the second (1-NN accuracy of 1,797
// digits .988 -> .991, error of 698 faces' pose .206 -> .189).
func Weight(n int, edges float64) float64 {
	if n < 2 {
		return DefaultWeight
	}
	return max(DefaultWeight, min(1, LeastRatio*edges/(float64(n)*float64(n-1))))
}

// farDamping returns the default of ModelSettings.Damping for Far and the weight c,
//
//	0.005 min(4, max(1, c/DefaultWeight)).
//
// The heavier the weight, the less do far fields cancel: with 0.005 throughout, steps overshoot where
// many points without an inner order share a weight of 0.3 and more. Three such groups, 1,000 points in
// 64 dimensions, then have a trustworthiness of .877 instead of .905, and with three times the weight
// they dissolve: .56 (docs/decisions/refresh.md).
func farDamping(c float64) float64 { return 0.005 * min(4, max(1, c/DefaultWeight)) }

// Steps returns the default number of steps for n points in d dimensions,
// 4,000,000/n between 80 and 200, for d > 3 3,000,000/n between 50 and 200: where
// points are few, steps cost little.
func Steps(n, d int) int {
	least, total := 80, 4_000_000
	if d > 3 {
		least, total = 50, 3_000_000
	}
	return max(least, min(200, total/max(n, 1)))
}

// ModelSettings of NewModel: of the model and of learning. The zero value is the recipe.
type ModelSettings struct {
	// Tail is a of H1; default d/2, which needs no powers.
	Tail float64
	// Weight is c = D_ij at the end of learning. Default that of the function
	// Weight.
	Weight float64
	// Majoriser and Damping (eta) make the diagonal of the mu step, eta Gamma.
	// Default of Damping: 0.005 to 0.02 for Far, by the weight (farDamping), and 0.01 for Local, which
	// is 10 to 100 times faster than 1 where many far pairs cancel but has no proof, hence Check; else 1.
	Majoriser Majoriser
	Damping   float64
	// Single sums the repulsion in the plane (d = 2, a = 1, Far) and in space (d = 3, a =
	// 3/2, Force) in single precision: relative to the sum of the magnitudes an error of
	// some 1e-6, far below that of cells. Elsewhere it does nothing.
	Single bool
	// Lag is the number of steps that a majoriser is used for. Default 1.
	Lag int
	// Momentum is beta of SM 43, in [0, 1). Default 0.9; NoMomentum makes it 0.
	Momentum   float64
	NoMomentum bool
	// Tolerance and Sweeps end conjugate gradients: relative to the gradient,
	// default 0.1, and by number, default 12 for d <= 3 and else 6, but 20 where systems are in
	// single precision (SingleSystem); negative means no limit.
	Tolerance float64
	Sweeps    int
	// Sigma says how variances are learnt, and Floor their least (absolute).
	Sigma Sigma
	Floor float64
	// Steps is their number. Default that of the function Steps; negative means
	// none. A quarter of them has Ratio, half of them a geometric ramp, the
	// last quarter the final weight; Phases gives these numbers directly.
	Steps  int
	Phases [3]int
	// Ratio is the largest sum D / sum S to begin with. Default 5.
	Ratio float64
	// Further is how the weight of a further edge falls, as that of dissimilar pairs rises.
	Further FurtherWeight
	// Average is the number of last steps whose mean is the result, to remove
	// the noise of random fields. Default 10 for fields that draw again and
	// none for others; negative means none.
	Average int
	// Check is the number of steps from one look at the likelihood to the next,
	// where the weight is constant: see Learn. Default 10; negative means never.
	Check int
	// Gain ends learning before its last step, where the weight is final: when the
	// likelihood has moved by less than Gain |L| a step from one look to the next
	// (Check). Default none. Without looks all steps are taken, too.
	Gain float64
	// Threads bounds the goroutines; 0 means GOMAXPROCS. The result does not
	// depend on it.
	Threads int
}

// withDefaults fills zero fields for a map of n points in d dimensions with so
// many edges, whose systems are in single precision or not, and checks the rest.
func (s ModelSettings) withDefaults(n, d int, edges float64, single bool) (ModelSettings, error) {
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
	or(&s.Weight, Weight(n, edges))
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
	orInt(&s.Lag, 1)
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
	case s.Gain > 0 && s.Average > 1:
		return s, fmt.Errorf("student: the mean of the last %d steps needs to know which they are: leave gain out", s.Average)
	case s.Majoriser < EM || s.Majoriser > Force:
		return s, fmt.Errorf("student: unknown majoriser %d", s.Majoriser)
	case (s.Majoriser == Global || s.Majoriser == Local || s.Majoriser == Far) && !plane():
		return s, fmt.Errorf("student: the majoriser is known for d = 2, a = 1 only, not for d = %d, a = %v: use EM or Force", d, s.Tail)
	case s.Sigma < Fixed || s.Sigma > Free:
		return s, fmt.Errorf("student: unknown sigma setting %d", s.Sigma)
	case min(s.Phases[0], s.Phases[1], s.Phases[2]) < 0 || s.Lag < 0:
		return s, fmt.Errorf("student: phases are %v and lag is %d, want no negative numbers", s.Phases, s.Lag)
	}
	return s, nil
}

// sweeps is the default of ModelSettings.Sweeps.
func sweeps(d int, single bool) int {
	switch {
	case single:
		return 20
	case d > 3:
		return 6
	}
	return 12
}
