package baseline

import (
	"cmp"
	"math"
	"slices"

	"unfold/models"
	"unfold/sparse/knn/auto"
	"unfold/sparse/spectral"
)

// Method is the name of a method, which is also its kind in model files.
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
	NonMetric Method = "nmds"
	GTM       Method = "gtm"
)

// Methods lists them.
func Methods() []Method {
	return []Method{PCA, Isomap, LLE, KernelPCA, MDS, Eigenmaps, LTSA, Sammon, NonMetric, GTM}
}

// Settings are the settings of a fit. The zero value works.
type Settings struct {
	// Common has the settings of all models. Neighbors is 9 by default, and for LTSA above the
	// number of dimensions. Steps applies to GTM, at most 300 by default.
	models.Common
	// Points is the maximum number of vectors that are learnt, a sample of all; PCA and GTM learn
	// all. Default 1000. For Isomap, which also learns all, it is the maximum number of landmarks.
	// Its default is all of up to 1000 vectors; beyond, as many as give a million paths, but at
	// least 250.
	Points int
	// Search configures Isomap's search for neighbours, and Lists is the minimum number of each
	// vector's neighbours; see Fitted.Near.
	Search auto.Settings
	Lists  int
	// Width is a multiple of the default width of Gaussians: for GTM the spacing of the basis
	// functions, for KernelPCA (q/2)^(1/2), in units. Default 1.
	Width float64
	// Grid and Basis are, for GTM, the numbers of latent points and basis functions along an axis,
	// 2 or more. By default there are about 225 and 16 in all: 15 and 4 along 2 axes.
	Grid, Basis int
	// Ridge is, for GTM, the precision of the prior of the mapping's weights, in units. Default
	// 0.1.
	Ridge float64
}

// Resolved fills in the defaults of a method. It returns a *models.SettingError for invalid
// settings.
func (s Settings) Resolved(m Method) (Settings, error) {
	neighbors := 9
	if m == LTSA {
		neighbors = max(neighbors, s.MapDims()+1)
	}
	s.Dims, s.Neighbors, s.Width = s.MapDims(), cmp.Or(s.Neighbors, neighbors), cmp.Or(s.Width, 1)
	if m != Isomap || s.Points != 0 {
		s.Points = cmp.Or(s.Points, usualPoints)
	}
	if err := s.Check(); err != nil {
		return s, err
	}
	if err := models.Require(s.Width > 0, "width", "%g, want more than 0", s.Width); err != nil {
		return s, err
	}
	switch m {
	case PCA:
		return s, nil
	case GTM:
		s.Steps, s.Ridge = cmp.Or(s.Steps, topographicSteps), cmp.Or(s.Ridge, 0.1)
		s.Grid, s.Basis = cmp.Or(s.Grid, side(225, s.Dims)), cmp.Or(s.Basis, side(16, s.Dims))
		return s, s.checkTopographic()
	}
	if m == Isomap && s.Points == 0 { // depends on the number of vectors
		return s, nil
	}
	if err := models.Require(s.Points > s.Dims, "points", "%d, want more than the %d dimensions of the map", s.Points, s.Dims); err != nil || m != LTSA {
		return s, err
	}
	// A set of Dims + 1 points lies in a plane of Dims dimensions anyway.
	if err := models.Require(s.Points > s.Dims+1, "points", "%d, want more than %d with kind ltsa and %d dimensions of the map", s.Points, s.Dims+1, s.Dims); err != nil {
		return s, err
	}
	return s, models.Require(s.Neighbors > s.Dims, "neighbors", "%d, want more than the %d dimensions of the map with kind ltsa", s.Neighbors, s.Dims)
}

// These bound the numbers of latent points and basis functions. A step solves a system of the
// latter.
const (
	mostNodes = 10000
	mostBasis = 1000
)

// side returns the number of points along an axis for about all points in total, at least 2.
func side(all float64, dims int) int { return max(2, int(math.Round(math.Pow(all, 1/float64(dims))))) }

// checkTopographic returns an error if a setting of GTM is invalid.
func (s Settings) checkTopographic() error {
	return cmp.Or(
		models.Require(s.Grid >= 2, "grid", "%d, want at least 2", s.Grid),
		models.Require(s.Basis >= 2, "basis", "%d, want at least 2", s.Basis),
		models.Require(power(s.Grid, s.Dims) <= mostNodes, "grid", "%d along each of %d dimensions, want at most %d latent points in all", s.Grid, s.Dims, mostNodes),
		models.Require(power(s.Basis, s.Dims) <= mostBasis, "basis", "%d along each of %d dimensions, want at most %d basis functions in all", s.Basis, s.Dims, mostBasis),
		models.Require(s.Width > 0 && s.Width <= math.MaxFloat32, "width", "%g, want more than 0", s.Width),
		models.Require(s.Ridge > 0 && s.Ridge <= math.MaxFloat32, "ridge", "%g, want more than 0", s.Ridge),
	)
}

// usualPoints is the default number of learnt points. Isomap's default is as many landmarks as give
// a million paths, but at least 250, which are as good as 1000 on maps of digits and of a swiss
// roll.
const (
	usualPoints    = 1000
	usualPaths     = usualPoints * usualPoints
	leastLandmarks = 250
)

// of returns resolved settings with Points set for a method that learns n vectors.
func (s Settings) of(m Method, n int) Settings {
	if m == Isomap && s.Points == 0 {
		s.Points = min(n, max(usualPaths/n, leastLandmarks, s.Dims+1))
	}
	return s
}

// Bytes returns the approximate memory of learning n vectors of q elements, besides the vectors,
// with resolved settings.
func (s Settings) Bytes(m Method, n, q int) int64 {
	switch m {
	case PCA:
		return 8 * int64(q) * int64(2*q)
	case GTM: // sums of vectors by latent points, and principal components
		return 8 * int64(q) * (int64(sumParts+4)*int64(power(s.Grid, s.Dims)) + int64(2*q))
	}
	s = s.of(m, n)
	points := int64(min(n, s.Points))
	squares := int64(1) // of the eigenvectors
	switch m {
	case Sammon: // vectors, and the positions that L-BFGS stores
		return 8 * points * int64(q+40*s.Dims)
	case LLE, LTSA, Eigenmaps:
		k := int64(s.Neighbors + 1)
		edges, factor := k*k, factorNumbers(int(points), s.Neighbors, q)
		if m == Eigenmaps { // the approximate factor as well
			edges, factor = 10*k, min(factor, mostFactor*points)
		}
		// The terms are the graph and its construction, a basis of vectors and the factor.
		return 8*points*(int64(q)+4*edges+int64(spectral.Columns(s.Dims))) + 8*factor
	case Isomap: // paths and scaling of the landmarks, the vectors in units, and the graph with its lists
		rows := int64(n)
		return 4*rows*points + 8*2*points*points + 8*rows*int64(q+2*s.Dims) + 40*rows*int64(s.Neighbors) + 12*rows*int64(max(s.Lists, s.Neighbors))
	case NonMetric:
		squares = 3 // of each pair two distances, a disparity, its rank, and a pool
	}
	return 8 * points * (squares*points + int64(q))
}

// factorNumbers returns the approximate size, in numbers, of the factor of (4) or (8), for n points
// that fill q dimensions and have k neighbours. It is n log n in a plane and grows with each
// dimension, because separators grow. Points of a lower intrinsic dimension need less. The
// constants are those of uniform points (TestFactorIsForecast); vectors of many elements were found
// to behave like at most 8 dimensions.
func factorNumbers(n, k, q int) int64 {
	points, d := float64(n), float64(min(q, 8))
	numbers := 2 * float64(k) * points * math.Log2(points+1)
	if d > 2 {
		numbers = 38 / (d * d) * float64(k) * math.Pow(points, 2-2/d)
	}
	return int64(min(numbers, 1.5*points*points))
}

// known reports whether the method exists.
func (m Method) known() bool { return slices.Contains(Methods(), m) }

// stresses reports whether the method minimises a stress.
func (m Method) stresses() bool { return m == Sammon || m == NonMetric }

// joins reports whether bridges join the components of its graph of neighbours.
func (m Method) joins() bool { return m == Isomap || m == LLE || m == LTSA || m == Eigenmaps }

// whole reports whether it learns all vectors.
func (m Method) whole() bool { return m == PCA || m == GTM }
