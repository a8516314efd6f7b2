package baseline

import (
	"cmp"
	"math"
	"slices"

	"unfold/models"
	"unfold/sparse/knn/auto"
	"unfold/sparse/spectral"
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
	NonMetric Method = "nmds"
	GTM       Method = "gtm"
)

// Methods lists them.
func Methods() []Method {
	return []Method{PCA, Isomap, LLE, KernelPCA, MDS, Eigenmaps, LTSA, Sammon, NonMetric, GTM}
}

// Settings of a fit. The zero value works.
type Settings struct {
	// Common are those of all models. Neighbors is 9 by default, and of LTSA more than dimensions.
	// Steps are those of GTM, at most 300 by default.
	models.Common
	// Points is how many vectors are learnt at most, a sample of all (but PCA and GTM, which
	// learn all). Default 1000. Isomap learns all, by so many landmarks at most: by default
	// all of 1000 vectors, as many as make a million paths of more, and 250 or more of any.
	Points int
	// Search says how Isomap finds the neighbours of all vectors, and Lists how many of each
	// at least; see Fitted.Near.
	Search auto.Settings
	Lists  int
	// Width is that of Gaussians as a multiple: of GTM of the spacing of the basis functions,
	// of KernelPCA of (q/2)^(1/2), in units. Default 1.
	Width float64
	// Grid and Basis are, of GTM, the latent points and the basis functions along an axis, 2 or
	// more. By default there are about 225 and 16 in all: 15 and 4 along 2 axes.
	Grid, Basis int
	// Ridge is, of GTM, the precision of the prior of the mapping's weights, in units. Default 0.1.
	Ridge float64
}

// Resolved fills in the defaults of a method. It returns a *models.SettingError if the
// settings make no sense.
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
	if m == Isomap && s.Points == 0 { // the number of vectors says how many
		return s, nil
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

// Most latent points and basis functions: a step solves a system of the latter.
const (
	mostNodes = 10000
	mostBasis = 1000
)

// side is how many points along an axis make about so many in all, 2 or more.
func side(all float64, dims int) int { return max(2, int(math.Round(math.Pow(all, 1/float64(dims))))) }

// checkTopographic says what is wrong with those that GTM alone has.
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

// usualPoints are learnt by default, and by Isomap up to a million paths or from at least 250
// landmarks, which are as good as 1000 on maps of digits and of a swiss roll.
const (
	usualPoints    = 1000
	usualPaths     = usualPoints * usualPoints
	leastLandmarks = 250
)

// of returns resolved settings with the points of a method that learns n vectors.
func (s Settings) of(m Method, n int) Settings {
	if m == Isomap && s.Points == 0 {
		s.Points = min(n, max(usualPaths/n, leastLandmarks, s.Dims+1))
	}
	return s
}

// Bytes returns about what learning holds beside the vectors, n of q elements, with resolved settings.
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
	case Sammon: // vectors, and what L-BFGS keeps of places
		return 8 * points * int64(q+40*s.Dims)
	case LLE, LTSA, Eigenmaps:
		k := int64(s.Neighbors + 1)
		edges, factor := k*k, factorNumbers(int(points), s.Neighbors, q)
		if m == Eigenmaps { // beside the factor the approximate one
			edges, factor = 10*k, min(factor, mostFactor*points)
		}
		// The graph and where its weights are from, a basis of vectors and the factor.
		return 8*points*(int64(q)+4*edges+int64(spectral.Columns(s.Dims))) + 8*factor
	case Isomap: // paths and scaling of the landmarks, the vectors in units, and the graph with its lists
		rows := int64(n)
		return 4*rows*points + 8*2*points*points + 8*rows*int64(q+2*s.Dims) + 40*rows*int64(s.Neighbors) + 12*rows*int64(max(s.Lists, s.Neighbors))
	case NonMetric:
		squares = 3 // of each pair two distances, a disparity, its rank, and a pool
	}
	return 8 * points * (squares*points + int64(q))
}

// factorNumbers is about how many numbers the factor of (4) or (8) takes, of n points that fill q
// dimensions and have k neighbours: n log n in a plane, and more with each dimension, as what
// separates them is larger. Points of fewer dimensions than elements take less. Constants are those
// of uniform points (TestFactorIsForecast); vectors of many elements have been found to be like 8 dimensions at most.
func factorNumbers(n, k, q int) int64 {
	points, d := float64(n), float64(min(q, 8))
	numbers := 2 * float64(k) * points * math.Log2(points+1)
	if d > 2 {
		numbers = 38 / (d * d) * float64(k) * math.Pow(points, 2-2/d)
	}
	return int64(min(numbers, 1.5*points*points))
}

// known reports whether there is such a method.
func (m Method) known() bool { return slices.Contains(Methods(), m) }

// stresses reports whether its places are those of a least stress.
func (m Method) stresses() bool { return m == Sammon || m == NonMetric }

// whole reports whether it learns all vectors.
func (m Method) whole() bool { return m == PCA || m == GTM }
