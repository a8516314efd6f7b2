package baseline

import (
	"cmp"
	"slices"

	"unfold/models"
)

// Method is the name of one, which is that of its kind, too.
type Method string

// The methods.
const (
	PCA       Method = "pca"
	Isomap    Method = "isomap"
	LLE       Method = "lle"
	KernelPCA Method = "kpca"
	MDS       Method = "mds"
	Eigenmaps Method = "eigenmaps"
	LTSA      Method = "ltsa"
	Sammon    Method = "sammon"
)

// Methods lists them.
func Methods() []Method { return []Method{PCA, Isomap, LLE, KernelPCA, MDS, Eigenmaps, LTSA, Sammon} }

// Settings of a fit. The zero value works.
type Settings struct {
	// Common are those of all models. Neighbors is 9 by default, and of LTSA more than dimensions.
	models.Common
	// Points is how many vectors are learnt at most, a sample of all (but PCA, which learns
	// all). Default 1000.
	Points int
}

// Resolved fills in the defaults of a method. It returns a *models.SettingError if the
// settings make no sense.
func (s Settings) Resolved(m Method) (Settings, error) {
	neighbors := 9
	if m == LTSA {
		neighbors = max(neighbors, s.MapDims()+1)
	}
	s.Dims, s.Neighbors, s.Points = s.MapDims(), cmp.Or(s.Neighbors, neighbors), cmp.Or(s.Points, 1000)
	if err := s.Check(); err != nil {
		return s, err
	}
	if err := models.Require(s.Points > s.Dims, "points", "%d, want more than the %d dimensions of the map", s.Points, s.Dims); err != nil || m != LTSA {
		return s, err
	}
	// As many points as dimensions and one more are on a plane wherever they are.
	if err := models.Require(s.Points > s.Dims+1, "points", "%d, want more than %d with kind ltsa and %d dimensions of the map", s.Points, s.Dims+1, s.Dims); err != nil {
		return s, err
	}
	return s, models.Require(s.Neighbors > s.Dims, "neighbors", "%d, want more than the %d dimensions of the map with kind ltsa", s.Neighbors, s.Dims)
}

// Bytes returns about what learning holds beside the vectors, n of q elements.
func (s Settings) Bytes(m Method, n, q int) int64 {
	if m == PCA {
		return 8 * int64(q) * int64(2*q)
	}
	points := int64(min(n, s.Points))
	squares := int64(1) // of the eigenvectors
	switch m {
	case Sammon: // vectors, and what L-BFGS keeps of places
		return 8 * points * int64(q+40*s.Dims)
	case Eigenmaps: // the graph, its factors, and a basis of vectors and their images
		return 8 * points * int64(q+40*s.Neighbors+8*(s.Dims+2))
	case Isomap:
		squares = 2 // and the paths
	case LLE, LTSA:
		squares = 3 // eigenvectors, all of them, twice
	}
	return 8 * points * (squares*points + int64(q))
}

// known reports whether there is such a method.
func (m Method) known() bool { return slices.Contains(Methods(), m) }
