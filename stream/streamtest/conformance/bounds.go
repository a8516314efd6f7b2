package conformance

import (
	"fmt"
	"math"
	"strings"

	"unfold/stream"
)

// Bounds of a stage's map compared with a fit: the maximum difference of each figure. Groups that
// are far apart must be apart on the map.
var (
	MostLess      = Figures{Nearest: 0.01, Trust: 0.004, RNX: 0.02}
	MostLessApart = Figures{Nearest: 0.005, Trust: 0.004, RNX: 0.02}
)

// Bounds of moves of the points that stay, in per cent of the diameter: median, 90th and 99th percentile.
var (
	SteadyMoves = [3]float64{1.5, 4, 10}
	LeapMoves   = [3]float64{4, 10, 25}
)

// Missed is a bound that is exceeded.
type Missed struct {
	// What is the name of the figure. By is its distance from the bound, on the wrong side.
	What      string
	Value, By float64
}

// Less returns the differences of the fit's figures and the stage's.
func (m Mark) Less() Figures {
	return Figures{m.Fit.Nearest - m.Stage.Nearest, m.Fit.Trust - m.Stage.Trust, m.Fit.RNX - m.Stage.RNX}
}

// Misses returns the bounds that a mark of the set exceeds.
func (m Mark) Misses(s *Set) (all []Missed) {
	bound, less := MostLess, m.Less()
	if s.Apart {
		bound = MostLessApart
	}
	for _, f := range []struct {
		what         string
		value, bound float64
	}{{Nearest, less.Nearest, bound.Nearest}, {Trust, less.Trust, bound.Trust}, {RNX, less.RNX, bound.RNX}} {
		if f.value > f.bound {
			all = append(all, Missed{f.what, f.value, f.value - f.bound})
		}
	}
	return all
}

// Names of figures.
const (
	Nearest = "1-NN"
	Trust   = "trustworthiness"
	RNX     = "R_NX"
	Steady  = "moves" // of maps that share at least two thirds of their points with the previous one
	Leap    = "moves of a leap"
)

// Worst returns the largest median, 90th and 99th percentile of moves of maps; zeros of none.
func Worst(maps []stream.Stats) (m [3]float64) {
	for _, s := range maps {
		for q, v := range [3]float64{s.Moves.Median, s.Moves.P90, s.Moves.P99} {
			m[q] = math.Max(m[q], v)
		}
	}
	return m
}

// Misses returns the bounds of moves that the course exceeds.
func (o *Outcome) Misses() (all []Missed) {
	steady, leap := o.Moves()
	for _, c := range []struct {
		what  string
		maps  []stream.Stats
		bound [3]float64
	}{{Steady, steady, SteadyMoves}, {Leap, leap, LeapMoves}} {
		for q, v := range Worst(c.maps) {
			if v > c.bound[q] {
				all = append(all, Missed{c.what + ", " + []string{"median", "p90", "p99"}[q], v, v - c.bound[q]})
			}
		}
	}
	return all
}

// String returns a description of the miss.
func (m Missed) String() string {
	if strings.HasPrefix(m.What, Steady) {
		return fmt.Sprintf("%s %.2f%%, %.2f above the bound", m.What, m.Value, m.By)
	}
	return fmt.Sprintf("%s %.4f below a fit's, %.4f beyond the bound", m.What, m.Value, m.By)
}

// Courses returns all courses of the comparison: n = 1,000, 3,000 and 10,000 points with the
// default size, half of them deleted after a restart; growth by three and by ten times in one
// refresh; and other sizes of the reference set.
func Courses() []Course {
	return []Course{
		{Name: "from 500", Min: 500, Phases: []Phase{{To: 500}, {To: 750}, {To: 1000, Mark: true}}},
		{Name: "from 2,000", Phases: []Phase{
			{To: 2000}, {To: 3000, Mark: true}, {To: 4500, Restart: true}, {To: 6750}, {To: 10_000, Mark: true}, {To: 10_000, Halve: true, Mark: true},
		}},
		{Name: "tenfold at once", Min: 1000, Phases: []Phase{{To: 1000}, {To: 10_000, Mark: true}}},
		{Name: "size 2,000", Size: 2000, Phases: []Phase{{To: 2000}, {To: 4500}, {To: 10_000, Restart: true, Mark: true}}},
		{Name: "size 200,000", Size: 200_000, Phases: []Phase{{To: 2000}, {To: 3000, Mark: true}}},
	}
}

// Short returns a course of seconds: growth from 500 to 1,000 points with a restart, and deletion
// of half of them.
func Short() Course {
	return Course{Name: "short", Min: 500, Phases: []Phase{{To: 500}, {To: 750}, {To: 1000, Restart: true, Mark: true}, {To: 1000, Halve: true, Mark: true}}}
}
