package prior

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// Prior is log p(mu) of H15 for the points of one map. The zero value, and nil, know
// nothing: their density is constant. It is not safe for concurrent use.
type Prior struct {
	// Threads bounds the goroutines; 0 means GOMAXPROCS. Nothing depends on it.
	Threads int

	frame vec.Matrix[float64] // n x d
	known []int32             // the points with a frame, ascending
	at    Similarity          // T
	row   []float64
}

// New returns the prior around a frame, n x d. Points whose row holds a value that is
// not finite are free.
func New(frame vec.Matrix[float64]) *Prior {
	p := &Prior{frame: frame, row: make([]float64, frame.Cols)}
	for i := range frame.Rows {
		if vec.Finite(frame.Row(i)) {
			p.known = append(p.known, int32(i))
		}
	}
	return p
}

// Known is the number of points with a frame.
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

// Fit sets T to what maximises log p(mu) at mu, n x d.
func (p *Prior) Fit(mu vec.Matrix[float64]) {
	if p.Known() > 0 {
		p.at = fit(p.frame, mu, p.known, true, p.Threads)
	}
}

// silent reports whether the prior says nothing: it has no weight, or there is no T since
// the map has left the number range.
func (p *Prior) silent(kappa float64) bool {
	return p.Known() == 0 || kappa == 0 || p.at.Turn.Rows == 0
}

// Lay moves mu rigidly to where its points with a frame are closest to it. Nothing is
// scaled: distances on the map, and so sigma and the likelihood, stay.
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

// Schedule is how kappa falls while a map is learnt. The zero value is the recipe of
// package student.
type Schedule struct {
	// From is kappa in the first steps and To in the last, with a geometric fall between.
	// To may be 0: then the fall ends at vanishing of From.
	From, To float64
}

// Firm returns the schedule that holds places near a frame which somebody knows, such as
// the map before, more than near one that is made of the data: what stays moves little.
func Firm() Schedule { return Schedule{From: 1, To: 0.01} }

// Ramp is how much of the fall lies behind at a step, 0-based, of a fit of so many steps,
// from 0 to 1: nothing in the first of its phases, all in the last,
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

// Phases are a quarter, a half and a quarter of so many steps.
func Phases(steps int) [3]int {
	q := steps / 4
	return [3]int{q, steps - 2*q, q}
}

// vanishing is where the fall to 0 ends.
const vanishing = 1e-4

// At returns kappa where a share done, 0 to 1, of the fall lies behind:
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
