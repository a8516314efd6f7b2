package prior

import (
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// Frame is the kind of map that positions are kept near.
type Frame int

const (
	// Auto is Geodesic for a curved sheet and otherwise PCA (package mds, Curved); with Gaussian
	// tails it is None.
	Auto Frame = iota
	// None leaves places free.
	None
	// PCA are principal components (points.Components).
	PCA
	// MDS is landmark multidimensional scaling of distances (mds.Euclidean).
	MDS
	// Geodesic is multidimensional scaling of the path lengths along the data (mds.Geodesic).
	Geodesic
	// Given uses the coordinates in Settings.Given, which the caller supplies.
	Given
)

var frameNames = models.Names[Frame]{"auto", "none", "pca", "mds", "geodesic", "given"}

// String returns the name of the frame in settings and model files.
func (f Frame) String() string { return frameNames.Word(f) }

// MarshalText implements encoding.TextMarshaler.
func (f Frame) MarshalText() ([]byte, error) { return frameNames.Marshal(f) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Frame) UnmarshalText(b []byte) error { return frameNames.Unmarshal(f, b) }

// Settings are the settings of a prior. The zero value is the model's default.
type Settings struct {
	Frame Frame
	// Given is the frame of the rows to be learnt, n x d, if Frame is Given. A row with a value
	// that is not finite is free. It is not stored with a model.
	Given vec.Matrix[float64]
	// Schedule is the schedule of kappa; zero means the model's default.
	Schedule Schedule
}

// CheckDistance returns a *models.SettingError if the frame cannot be computed for rows under a
// distance.
func (s Settings) CheckDistance(d distance.Distance) error {
	return models.Require(d == distance.Euclidean || s.Frame != MDS && s.Frame != Geodesic,
		"frame", "%v is made of Euclidean distances, and the metric is %v: choose pca or none, or leave it out", s.Frame, d)
}

// CheckPaths returns a *models.SettingError if the frame cannot be computed for points of a graph.
func (s Settings) CheckPaths() error {
	return models.Require(s.Frame != MDS && s.Frame != PCA && s.Frame != None,
		"frame", "%v is made of vectors, which the nodes of a graph do not have: choose geodesic, or leave it out", s.Frame)
}

// Check returns a *models.SettingError if the settings are invalid for n rows on a map of d
// dimensions. A negative n stands for any number of rows.
func (s Settings) Check(n, d int) error {
	g := s.Given
	bad := func(v float64) bool { return !(v >= 0) || math.IsInf(v, 0) }
	switch {
	case !frameNames.Known(s.Frame):
		return models.Require(false, "frame", "there is no %v", s.Frame)
	case s.Frame != Given && g.Rows > 0:
		return models.Require(false, "frame", "coordinates are given, but the frame is %v", s.Frame)
	case s.Frame == Given && n >= 0 && g.Rows != n:
		return models.Require(false, "frame", "coordinates of %d rows are given for %d", g.Rows, n)
	case s.Frame == Given && n >= 0 && g.Cols != d:
		return models.Require(false, "frame", "coordinates in %d dimensions are given for a map in %d", g.Cols, d)
	case bad(s.Schedule.From) || bad(s.Schedule.To):
		return models.Require(false, "prior", "from %v to %v: want numbers of at least 0", s.Schedule.From, s.Schedule.To)
	}
	return nil
}
