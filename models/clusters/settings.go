package clusters

import (
	"cmp"
	"math"

	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Selection is how clusters are chosen from the condensed tree.
type Selection string

// The ways to choose. The zero value is ExcessOfMass.
const (
	ExcessOfMass Selection = "eom"  // the most stable ones
	Leaf         Selection = "leaf" // the smallest ones
)

// Settings say what a cluster is. The zero value works.
type Settings struct {
	// MinSize is the least number of points of a cluster. Default 50, at least 2.
	MinSize int
	// MinSamples is m of (1): the core distance is that to the m-th nearest other point.
	// Default MinSize. Of fewer others it is that to the farthest.
	MinSamples int
	// Selection is how clusters are chosen. Default ExcessOfMass.
	Selection Selection
	// Epsilon, in units of the points, joins clusters that split at a distance below it.
	// Default 0, none.
	Epsilon float64
	// Recall is the share of true neighbours that lists must have. Below 1 they may be
	// approximate, as package knn/auto has it, and the tree is that of the lists, but for
	// what they leave apart: see the package's essay. Default 1, exact.
	Recall float64
	// Distance is that of the points. Default the Euclidean one. Lengths are the roots of what lists hold
	// under it (package distance), and neighbours under another are always exact.
	Distance distance.Distance
	// Threads bounds the goroutines. Default all processors.
	Threads int
}

// DefaultMinSize is the least number of points of a cluster by default.
const DefaultMinSize = 50

// RowBytes is about what Find holds at its most, a row of dim values, beside the rows: lists
// of neighbours, and what the tree and its hierarchy take.
func RowBytes(dim int, s Settings) int {
	s, err := s.Filled()
	if err != nil {
		return 0
	}
	return 12*max(s.MinSamples, spareNeighbors) + 8*dim + 160
}

// search is how neighbours are found.
func (s Settings) search() auto.Settings {
	if s.Recall == 1 {
		return auto.Settings{Method: auto.Exact}
	}
	return auto.Settings{Recall: s.Recall}
}

// knn are the settings of an exact search.
func (s Settings) knn() knn.Settings { return knn.Settings{Threads: s.Threads, Distance: s.Distance} }

// Filled returns the settings with their defaults, or a *models.SettingError.
func (s Settings) Filled() (Settings, error) {
	s.MinSize = cmp.Or(s.MinSize, DefaultMinSize)
	s.MinSamples = cmp.Or(s.MinSamples, s.MinSize)
	s.Selection = cmp.Or(s.Selection, ExcessOfMass)
	s.Recall = cmp.Or(s.Recall, 1)
	return s, cmp.Or(
		models.Require(s.MinSize >= 2, "min_size", "%d; a cluster has at least 2 points", s.MinSize),
		models.Require(s.MinSamples >= 1, "min_samples", "%d; the core distance is that to the first neighbour or a later one", s.MinSamples),
		models.Require(s.Selection == ExcessOfMass || s.Selection == Leaf, "selection", "%q is neither %s nor %s", s.Selection, ExcessOfMass, Leaf),
		models.Require(s.Epsilon >= 0 && !math.IsInf(s.Epsilon, 1), "epsilon", "%v is no distance; give a number that is not negative", s.Epsilon),
		models.Require(s.Recall > 0 && s.Recall <= 1, "recall", "%v is not in 0 to 1", s.Recall),
	)
}
