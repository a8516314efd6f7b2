package clusters

import (
	"cmp"
	"math"

	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Selection is the rule that selects clusters from the condensed tree.
type Selection string

// The selection rules. The zero value is ExcessOfMass.
const (
	ExcessOfMass Selection = "eom"  // the most stable ones
	Leaf         Selection = "leaf" // the smallest ones
)

// Ties is the treatment of equally long edges.
type Ties string

// The treatments of ties. The zero value is Together.
const (
	Together Ties = "together" // all parts that they connect are joined at once
	Apart    Ties = "apart"    // they join two parts each, in the order of the tree's edges, as in hdbscan
)

// Settings define clusters. The zero value works.
type Settings struct {
	// MinSize is the least number of points of a cluster, at least 2. Default 50, or a twentieth of
	// the points if that is less, but at least 5 (see Of).
	MinSize int
	// MinSamples is m of (1): the core distance is that to the m-th nearest other point, or to the
	// farthest if there are fewer. Default MinSize.
	MinSamples int
	// Selection is the selection rule. Default ExcessOfMass.
	Selection Selection
	// Epsilon joins clusters that split at a distance below it, in units of the points' distances.
	// Default 0, none.
	Epsilon float64
	// AllowSingle permits the root, which contains all points, to be the only cluster. Its members
	// are then the points with a lambda of at least 1/Epsilon or, without Epsilon, of at least the
	// largest lambda at which the root loses a point or splits. Files do not store it.
	AllowSingle bool
	// MaxSize, for ExcessOfMass, is the largest number of points of a cluster. Epsilon can join
	// clusters to larger ones. 0 means no limit.
	MaxSize int
	// EpsilonMax, for ExcessOfMass, is the largest distance at which a cluster may appear. 0 means
	// no limit.
	EpsilonMax float64
	// Persistence removes splits from the condensed tree of which a side lasts for less than this
	// range of lambda, 1/distance. Default 0, none. Files do not store it.
	Persistence float64
	// Ties is the treatment of equally long edges. Default Together.
	Ties Ties
	// Lengths makes lambda the reciprocal of the distance. Otherwise lambda is the reciprocal of
	// the root of d2 (package distance), which differs for Manhattan and Jaccard. Files do not
	// store it.
	Lengths bool
	// Recall is the share of true neighbours that lists must contain. Below 1 lists may be
	// approximate (package knn/auto). The tree is then that of the lists, with further edges only
	// between groups that they leave separate: see the package comment. Default 1, exact.
	Recall float64
	// Distance is the distance of points, by default the Euclidean one. Lengths are the roots of
	// the values in the lists (package distance).
	Distance distance.Distance
	// Threads bounds the goroutines; 0 means all processors.
	Threads int
}

// DefaultMinSize is the default of MinSize for many points. Fewer than 1,000 have a twentieth of their
// number, but at least fewestMinSize.
const (
	DefaultMinSize = 50
	fewestMinSize  = 5
	minSizeShare   = 20
)

// Of returns the settings with the default of MinSize for n points.
func (s Settings) Of(n int) Settings {
	s.MinSize = cmp.Or(s.MinSize, min(DefaultMinSize, max(fewestMinSize, n/minSizeShare)))
	return s
}

// RowBytes estimates the peak memory of Find in bytes per row of dim values, without the rows
// themselves: for neighbour lists, the tree and its hierarchy.
func RowBytes(dim int, s Settings) int {
	s, err := s.Filled()
	if err != nil {
		return 0
	}
	return 12*max(s.MinSamples, spareNeighbors) + 8*dim + 160
}

// search returns the settings of the neighbour search.
func (s Settings) search() auto.Settings {
	if s.Recall == 1 {
		return auto.Settings{Method: auto.Exact}
	}
	return auto.Settings{Recall: s.Recall}
}

// Length returns the length of an edge of the spanning tree, the reciprocal of lambda.
func (s Settings) Length(dist2 float64) float64 {
	if s.Lengths {
		return s.Distance.Length(dist2)
	}
	return math.Sqrt(dist2)
}

// knn returns the settings of an exact search.
func (s Settings) knn() knn.Settings { return knn.Settings{Threads: s.Threads, Distance: s.Distance} }

// Filled returns the settings with their defaults filled in, or a *models.SettingError.
func (s Settings) Filled() (Settings, error) {
	s.MinSize = cmp.Or(s.MinSize, DefaultMinSize)
	s.MinSamples = cmp.Or(s.MinSamples, s.MinSize)
	s.Selection = cmp.Or(s.Selection, ExcessOfMass)
	s.Recall = cmp.Or(s.Recall, 1)
	s.Ties = cmp.Or(s.Ties, Together)
	return s, cmp.Or(
		models.Require(s.MinSize >= 2, "min_size", "%d; a cluster has at least 2 points", s.MinSize),
		models.Require(s.MinSamples >= 1, "min_samples", "%d; the core distance is that to the first neighbour or a later one", s.MinSamples),
		models.Require(s.Selection == ExcessOfMass || s.Selection == Leaf, "selection", "%q is neither %s nor %s", s.Selection, ExcessOfMass, Leaf),
		models.Require(s.Epsilon >= 0 && !math.IsInf(s.Epsilon, 1), "epsilon", "%v is no distance; give a number that is not negative", s.Epsilon),
		models.Require(s.MaxSize >= 0, "max_size", "%d; give the most points of a cluster, or 0 for no limit", s.MaxSize),
		models.Require(s.EpsilonMax == 0 || s.EpsilonMax >= s.Epsilon && s.EpsilonMax > 0, "epsilon_max", "%v is below epsilon, %v", s.EpsilonMax, s.Epsilon),
		models.Require(s.Persistence >= 0 && !math.IsInf(s.Persistence, 1), "persistence", "%v is no range of 1/distance; give a number that is not negative", s.Persistence),
		models.Require(s.Ties == Together || s.Ties == Apart, "ties", "%q is neither %s nor %s", s.Ties, Together, Apart),
		models.Require(s.Recall > 0 && s.Recall <= 1, "recall", "%v is not in 0 to 1", s.Recall),
	)
}
