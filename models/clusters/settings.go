package clusters

import (
	"cmp"
	"fmt"
)

// Selection is how clusters are chosen from the condensed tree.
type Selection string

// The ways to choose. The zero value is ExcessOfMass.
const (
	ExcessOfMass Selection = "eom"  // the most stable ones
	Leaf         Selection = "leaf" // the smallest ones
)

// Settings of HDBSCAN*. The zero value works.
type Settings struct {
	// MinSize is the least number of points of a cluster. Default 50, at least 2.
	MinSize int
	// MinSamples is m: the core distance is that to the m-th nearest other point. Default
	// MinSize.
	MinSamples int
	// Selection is how clusters are chosen. Default ExcessOfMass.
	Selection Selection
	// Epsilon joins clusters that split at a distance below it. Default 0, none.
	Epsilon float64
	// Threads bounds the goroutines. Default all processors.
	Threads int
}

// DefaultMinSize is the least number of points of a cluster by default.
const DefaultMinSize = 50

// Filled returns the settings with their defaults, or says what is wrong with them.
func (s Settings) Filled() (Settings, error) {
	s.MinSize = cmp.Or(s.MinSize, DefaultMinSize)
	s.MinSamples = cmp.Or(s.MinSamples, s.MinSize)
	s.Selection = cmp.Or(s.Selection, ExcessOfMass)
	switch {
	case s.MinSize < 2:
		return s, fmt.Errorf("clusters: a cluster has at least 2 points, not %d", s.MinSize)
	case s.MinSamples < 1:
		return s, fmt.Errorf("clusters: the core distance is to the %d-th neighbour; it must be the first or a later one", s.MinSamples)
	case s.Selection != ExcessOfMass && s.Selection != Leaf:
		return s, fmt.Errorf("clusters: unknown selection %q; there are %s and %s", s.Selection, ExcessOfMass, Leaf)
	case !(s.Epsilon >= 0):
		return s, fmt.Errorf("clusters: epsilon is %v; it must not be negative", s.Epsilon)
	}
	return s, nil
}
