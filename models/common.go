package models

import (
	"cmp"
	"fmt"

	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// DefaultDims is the dimension of a map if none is named.
const DefaultDims = 2

// Common are the settings that all models share. Zero fields stand for the model's
// own defaults.
type Common struct {
	// Dims is d, the dimension of the map. Default DefaultDims.
	Dims int
	// Neighbors is k, how many neighbours of a point count.
	Neighbors int
	// Steps is the number of iterations; negative means none.
	Steps int
	// Seed is the seed of all random numbers.
	Seed uint64
	// Threads bounds the goroutines that compute; 0 means GOMAXPROCS. The result
	// does not depend on it.
	Threads int
	// Distance is the distance of rows; the zero value is Euclidean. With any other, neighbours are
	// found exactly. Not every kind of model supports it. A snapshot stores it.
	Distance distance.Distance
	// Search selects how neighbours are found. The zero value finds 99% of them, in a
	// sample of points or all, as their number decides (package auto).
	Search auto.Settings
	// Lists is the least number of neighbours in a Result, for novelty. Default:
	// Neighbors, and never more than there are other points.
	Lists int
	// Given are known neighbours of the learnt rows, Lists or more for each. They replace the
	// search, and given distances replace those of the rows. Nil means none. Not every kind of
	// model supports them, and files do not store them.
	Given *knn.Given
	// Paths belong to a connected graph of the learnt rows. Rows then have no elements, and
	// distances are lengths of paths. Nil means no graph. Not every kind of model supports them,
	// and files do not store them.
	Paths *graph.Paths
	// Labels are the labels of the learnt rows, for models that learn from them (Supervision); ""
	// for a row without one. Nil means none. Settings in files do not store them.
	Labels []string
	// Aside, if not nil, moves neighbour lists to other storage, such as a file, while learning
	// hardly reads them. The lists that it returns are not changed. Only maps with heavy tails call
	// it. Settings in files do not keep it.
	Aside func(*knn.Neighbors) *knn.Neighbors
}

// LeastDistinct is the least number of distinct rows of a map.
const LeastDistinct = 3

// FewerNeighbors returns the number of neighbours that points of n distinct rows can have, of k that are wanted.
func FewerNeighbors(k, n int) int { return min(k, n-1) }

// MapDims is the dimension of the map that the settings mean.
func (c Common) MapDims() int { return cmp.Or(c.Dims, DefaultDims) }

// Check returns a *SettingError if the settings, with defaults filled in, make no
// sense.
func (c Common) Check() error {
	if err := CheckSearch(c.Search, c.Distance); err != nil {
		return err
	}
	if err := Require(c.Dims >= 1, "dims", "%d, want at least 1", c.Dims); err != nil {
		return err
	}
	return Require(c.Neighbors >= 1, "neighbors", "%d, want at least 1", c.Neighbors)
}

// CheckSearch returns a *SettingError if a search makes no sense, or none under that distance.
func CheckSearch(s auto.Settings, d distance.Distance) error {
	recall := auto.Settings{Recall: s.Recall}.Check()
	if err := Require(recall == nil, "recall", "%v", recall); err != nil {
		return err
	}
	err := s.Check()
	return cmp.Or(
		Require(err == nil, "search", "%v", err),
		Require(d == distance.Euclidean || s.Method != auto.HNSW, "search", "%v is for Euclidean distances, not for the metric %v: leave it out", s.Method, d),
		Require(!d.Bits() || s.Method != auto.Descent, "search", "under the metric %v neighbours are searched exactly: leave it out", d),
		Require(!d.Bits() || s.Recall == 0 || s.Recall == 1, "recall", "under the metric %v neighbours are searched exactly: leave it out", d),
	)
}

// SettingError names an invalid setting.
type SettingError struct {
	// Name is the name of the flag, the configuration key and the field in model files.
	Name string
	// Problem describes the error and the remedy.
	Problem string
}

func (e *SettingError) Error() string { return e.Name + ": " + e.Problem }

// Require returns nil if ok, else a *SettingError with a formatted problem.
func Require(ok bool, name, format string, args ...any) error {
	if ok {
		return nil
	}
	return &SettingError{name, fmt.Sprintf(format, args...)}
}
