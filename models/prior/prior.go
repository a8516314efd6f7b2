package prior

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// Prior is log p(mu) of H15 for the points of one map. The zero value and nil have a constant
// density. It is not safe for concurrent use.
type Prior struct {
	// Threads bounds the goroutines; 0 means GOMAXPROCS. It does not change the result.
	Threads int

	frame vec.Matrix[float64] // n x d
	known []int32             // the points with a frame, ascending
	at    Similarity          // T
	row   []float64
}

// New returns the prior around a frame, n x d. Points whose row has a value that is not finite are
// free.
func New(frame vec.Matrix[float64]) *Prior {
	p := &Prior{frame: frame, row: make([]float64, frame.Cols)}
	for i := range frame.Rows {
		if vec.Finite(frame.Row(i)) {
			p.known = append(p.known, int32(i))
		}
	}
	return p
}

// Known returns the number of points with a position in the frame.
func (p *Prior) Known() int {
	if p == nil {
		return 0
	}
	return len(p.known)
}

// Bytes is the memory of the frame.
func (p *Prior) Bytes() int64 {
	if p == nil {
		return 0
	}
	return 8*int64(len(p.frame.Data)) + 4*int64(len(p.known))
}

// Fit sets T to the maximum of log p(mu) at mu, n x d.
func (p *Prior) Fit(mu vec.Matrix[float64]) {
	if p.Known() > 0 {
		p.at = fit(p.frame, mu, p.known, true, p.Threads)
	}
}

// silent reports whether the prior has no effect: its weight is 0, or T is undefined because the
// map is no longer finite.
func (p *Prior) silent(kappa float64) bool {
	return p.Known() == 0 || kappa == 0 || p.at.Turn.Rows == 0
}

// Lay moves mu rigidly so that it lies closest to the frame. It does not scale, because distances
// on the map, and so sigma and the likelihood, must stay the same.
func (p *Prior) Lay(mu vec.Matrix[float64]) {
	if t := fit(mu, p.frame, p.known, false, p.Threads); t.Turn.Rows > 0 {
		t.ApplyAll(mu)
	}
}

// LogDensity returns -kappa/2 sum_i |mu_i - T(p_i)|^2 over every stride-th point, with T
// of the last Fit.
func (p *Prior) LogDensity(mu vec.Matrix[float64], kappa float64, stride int) float64 {
	if p.silent(kappa) {
		return 0
	}
	var sum float64
	for _, i := range p.known {
		if int(i)%stride == 0 {
			p.at.Apply(p.row, p.frame.Row(int(i)))
			sum += vec.SquaredDistance(mu.Row(int(i)), p.row)
		}
	}
	return -kappa / 2 * sum
}

// Add adds the prior to the system of a mu step at mu: kappa to the diagonal and
// -kappa (mu_i - T(p_i)) to the gradient of the points with a frame (H16).
func (p *Prior) Add(mu vec.Matrix[float64], kappa float64, diagonal []float64, grad vec.Matrix[float64]) {
	if p.silent(kappa) {
		return
	}
	par.Ranges(p.Threads, len(p.known), piece, func(_, first, last int) {
		row := make([]float64, p.frame.Cols)
		for _, i := range p.known[first:last] {
			p.at.Apply(row, p.frame.Row(int(i)))
			m, g := mu.Row(int(i)), grad.Row(int(i))
			for c, t := range row {
				g[c] -= kappa * (m[c] - t)
			}
			diagonal[i] += kappa
		}
	})
}

// Schedule is the course of kappa while a map is learnt. The zero value is the default of package
// student.
type Schedule struct {
	// From is kappa in the first steps and To in the last; between them kappa decreases
	// geometrically. If To is 0, the decrease ends at vanishing * From.
	From, To float64
}

// Firm returns the schedule for a frame of known positions, such as the previous map. It holds
// positions more firmly than a frame computed from the data, so that points that stay move little.
func Firm() Schedule { return Schedule{From: 1, To: 0.01} }

// Ending returns the schedule of a frame computed from the data with another last weight. It is the
// zero value, the default, if the weight is 0.
func Ending(to float64) Schedule {
	if to == 0 {
		return Schedule{}
	}
	return Schedule{From: max(0.1, to), To: to}
}

// Firmly returns Firm with the last weight of s, if it has one.
func (s Schedule) Firmly() Schedule {
	firm := Firm()
	if s.To == 0 {
		return firm
	}
	return Schedule{From: max(firm.From, s.To), To: s.To}
}

// Ramp returns the completed share, 0 to 1, of the decrease at a 0-based step of a fit of the given
// number of steps: 0 in the first of its phases, 1 in the last, and
//
//	min(1, (t - T0 + 1)/T1) from step T0 - 1 on.
func Ramp(step int, phases [3]int) float64 {
	at := float64(step - phases[0] + 1)
	switch {
	case at <= 0:
		return 0
	case at >= float64(phases[1]):
		return 1
	}
	return at / float64(phases[1])
}

// Phases returns the lengths of the three phases: a quarter, a half and a quarter of the steps.
func Phases(steps int) [3]int {
	q := steps / 4
	return [3]int{q, steps - 2*q, q}
}

// vanishing is the share of From at which a decrease to 0 ends.
const vanishing = 1e-4

// At returns kappa when the share done, 0 to 1, of the decrease is completed:
//
//	kappa = From (To/From)^done.                                                (H17)
func (s Schedule) At(done float64) float64 {
	switch {
	case done <= 0 || s.From == s.To:
		return s.From
	case done >= 1:
		return s.To
	case s.From == 0:
		return 0
	}
	last := s.To
	if last == 0 {
		last = vanishing * s.From
	}
	return s.From * math.Pow(last/s.From, done)
}
