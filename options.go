package unfold

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/gplvm"
	"unfold/models/lllvm"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/knn/auto"
)

// Kind is the model that a map is learnt by.
type Kind string

const (
	// Student is the default: Saul's latent variable model with heavy tails. It separates
	// groups, takes a million rows, and lives.
	Student Kind = "student"
	// Saul is the same model with Gaussian tails, as published (Saul 2020). It keeps
	// more of the large distances, is slower, and lives.
	Saul Kind = "saul"
	// LLLVM is the locally linear latent variable model (Park et al. 2015), for a
	// thousand rows or few more on a smooth sheet.
	LLLVM Kind = "lllvm"
	// GPLVM is the Gaussian process latent variable model (Lawrence 2005), for as many.
	// Values of its rows may be missing, NaN.
	GPLVM Kind = "gplvm"
)

// Search is how nearest neighbours are found.
type Search string

const (
	// SearchAuto chooses by the number of rows, their length and the recall.
	SearchAuto Search = ""
	// SearchExact compares all pairs.
	SearchExact Search = "exact"
	// SearchHNSW searches a hierarchical graph for rows that are placed; Fit chooses its
	// own search by the rule of SearchAuto.
	SearchHNSW Search = "hnsw"
	// SearchDescent improves lists by lists; it is for Fit, not for Place.
	SearchDescent Search = "descent"
)

// Frame is a map known beforehand that learning starts from and keeps places near, so that
// the whole of a map is in shape.
type Frame string

const (
	// FrameAuto is FrameGeodesic where the rows lie on a curved sheet, else FramePCA; of 100,000
	// rows and more the map of a sample of them.
	FrameAuto Frame = ""
	// FrameNone leaves places free.
	FrameNone Frame = "none"
	// FramePCA are principal components.
	FramePCA Frame = "pca"
	// FrameMDS is multidimensional scaling of distances.
	FrameMDS Frame = "mds"
	// FrameGeodesic is the same of distances along the data, which unrolls a sheet.
	FrameGeodesic Frame = "geodesic"
)

// NoPCA learns from the vectors as they are, however wide.
const NoPCA = -1

// Options of a fit. The zero value works: every zero field stands for the default named
// beside it.
type Options struct {
	// Kind is the model. Default Student.
	Kind Kind
	// Dims is the dimension of the map. Default 2.
	Dims int
	// Neighbors is how many neighbours of each point the map keeps together. Default 8 for
	// Student, else 9.
	Neighbors int
	// Steps bounds the iterations of learning. The default depends on the kind and on the
	// number of points: 80 to 200 for Student, 400 for Saul.
	Steps int
	// Seed of everything that is random. The same rows, Options and Seed give the same map.
	Seed uint64
	// Threads bounds the goroutines that compute; it does not change the map. Default
	// GOMAXPROCS.
	Threads int
	// PCA is the number of principal components that vectors are projected onto first.
	// Default, for vectors of more than 50 elements, as many of 50 to 256 as keep the nearest
	// neighbours of a sample of rows, or none where few would be spared; NoPCA for none.
	PCA int
	// Search and Recall say how neighbours are found, and which share of them, above 0 and
	// at most 1, which means all. Defaults SearchAuto, 0.99.
	Search Search
	Recall float64
	// Labels are those of the rows, "" where a row has none. They go with Student.Supervision.
	Labels []string
	// Progress, if it is not nil, hears how far a fit is: done of total units of a stage. Its
	// calls do not overlap, and it should return soon.
	Progress func(stage string, done, total int)

	// What only one kind has; with another kind it has to be zero.
	Student StudentOptions
	Saul    SaulOptions
	LLLVM   LLLVMOptions
	GPLVM   GPLVMOptions
}

// StudentOptions are those that only kind Student has.
type StudentOptions struct {
	// Thorough takes two and a half times the steps, each more exact: a little better,
	// several times as long.
	Thorough bool
	// Frame is what places are kept near. Default FrameAuto.
	Frame Frame
	// Coordinates, n x Dims for n rows, are known of the rows beforehand: geography, a map of
	// yesterday. They are the frame, in any scale and turned in any way; the map ends laid on
	// them. A row that holds a NaN is free. Frame is then to be left FrameAuto. They are not
	// kept.
	Coordinates mat.Matrix
	// Reach is the rank of the furthest neighbour that a point is drawn to, beside its
	// nearest. Default seven times Neighbors, and at most a tenth of the points.
	Reach int
	// Density lets the density of the map follow the data's: distances to neighbours on the
	// map are about those in the data to the power of it, up to 4. 2 follows it closely.
	// Default 0, which leaves it to the neighbours.
	Density float64
	// Supervision is how much Options.Labels take part in learning, 0 to 1: a near neighbour with another
	// label counts 1 - Supervision of what one with the same label or none does. Default 0: not at all.
	// Where rows are placed that were not learnt from does not depend on labels of theirs.
	Supervision float64
	// Tail is the shape of the tails, smaller is heavier. Default Dims/2.
	Tail float64
	// Weight is how much a pair of points that are no neighbours counts; a larger one
	// spreads groups apart. Default 0.086, more for few points; in two dimensions more than 12
	// times the default loses neighbours (Result.Warnings).
	Weight float64
}

// SaulOptions are those that only kind Saul has.
type SaulOptions struct {
	// Core is how many steps along the neighbour graph make a pair similar. Default 1.
	Core int
	// Largest learns the largest connected part of the neighbour graph alone and places
	// the other points by it. By default the parts are connected where they are closest.
	Largest bool
}

// LLLVMOptions are those that only kind LLLVM has.
type LLLVMOptions struct {
	// Points is the most points that are learnt, a sample of all; the others are placed
	// by them. Default 1000.
	Points int
	// Restarts is from how many random starts the model is learnt, of which the best is
	// kept. Default 1.
	Restarts int
}

// GPLVMOptions are those that only kind GPLVM has.
type GPLVMOptions struct {
	// Points is the most points that are learnt, a sample of all; the others are placed
	// by them. Default 1000.
	Points int
	// Kernel is the covariance function, a sum of rbf, linear, mlp, bias and white.
	// Default rbf+bias+white.
	Kernel string
	// Restarts is from how many starts the model is learnt, of which the best is kept.
	// Default 1.
	Restarts int
	// Smooth places by a smooth function of the vector, in microseconds instead of
	// milliseconds, and less exactly.
	Smooth bool
}

// spec is a fit's as the insides have it.
func (o Options) spec() (fit.Spec, error) {
	var s fit.Spec
	if err := o.checkKind(); err != nil {
		return s, err
	}
	if s.PCA = o.PCA; o.PCA == NoPCA {
		s.PCA = fit.PCANone
	}
	s.Common = models.Common{
		Dims: o.Dims, Neighbors: o.Neighbors, Steps: o.Steps, Seed: o.Seed, Threads: o.Threads,
		Search: auto.Settings{Recall: o.Recall},
	}
	if o.Search != SearchAuto {
		if err := s.Search.Method.UnmarshalText([]byte(o.Search)); err != nil {
			return s, &OptionError{"Search", err.Error()}
		}
	}
	switch o.Kind {
	case "", Student:
		s.Kind = fit.LVM
		s.LVM.Student = student.Options{Thorough: o.Student.Thorough, Density: o.Student.Density, Supervision: o.Student.Supervision, Reach: o.Student.Reach, Tail: o.Student.Tail, Weight: o.Student.Weight}
		if (o.Student.Supervision > 0) != (o.Labels != nil) {
			return s, &OptionError{"Labels", "labels go with Student.Supervision above 0, and that with labels"}
		}
		s.Labels = o.Labels
		if err := o.Student.frame(&s.LVM.Student.Prior); err != nil {
			return s, err
		}
	case Saul:
		s.Kind = fit.LVM
		s.LVM.Tails, s.LVM.Saul.Core = lvm.Gaussian, o.Saul.Core
		if o.Saul.Largest {
			s.LVM.Saul.Components = saul.Largest
		}
	case LLLVM:
		s.Kind = fit.LLLVM
		s.LLLVM = lllvm.Options{Points: o.LLLVM.Points, Restarts: o.LLLVM.Restarts}
	case GPLVM:
		s.Kind = fit.GPLVM
		s.GPLVM = gplvm.Options{Points: o.GPLVM.Points, Kernel: o.GPLVM.Kernel, Restarts: o.GPLVM.Restarts, Smooth: o.GPLVM.Smooth}
	}
	err := s.Check()
	var setting *models.SettingError
	if err != nil && !errors.As(err, &setting) {
		return s, &OptionError{"Kind " + string(o.Kind), err.Error()}
	}
	return s, public(err, 0)
}

// frame sets what places are kept near.
func (o StudentOptions) frame(s *prior.Settings) error {
	if o.Coordinates != nil {
		if o.Frame != FrameAuto {
			return &OptionError{"Student.Frame", fmt.Sprintf("coordinates are given, which are the frame, and %q, too", o.Frame)}
		}
		rows, cols := o.Coordinates.Dims()
		s.Frame, s.Given, s.Schedule = prior.Given, vec.New[float64](rows, cols), prior.Firm()
		for i := range rows {
			for c := range cols {
				s.Given.Row(i)[c] = o.Coordinates.At(i, c)
			}
		}
		return nil
	}
	if o.Frame == FrameAuto {
		return nil
	}
	if err := s.Frame.UnmarshalText([]byte(o.Frame)); err != nil || s.Frame == prior.Given {
		return &OptionError{"Student.Frame", fmt.Sprintf("there is no %q; coordinates that are known are those of Student.Coordinates", o.Frame)}
	}
	return nil
}

// checkKind refuses kinds that there are not, and options of another kind.
func (o Options) checkKind() error {
	of := map[Kind]bool{
		Student: o.Student != StudentOptions{}, Saul: o.Saul != SaulOptions{}, LLLVM: o.LLLVM != LLLVMOptions{}, GPLVM: o.GPLVM != GPLVMOptions{},
	}
	kind := o.Kind
	if kind == "" {
		kind = Student
	}
	if _, known := of[kind]; !known {
		return &OptionError{"Kind", fmt.Sprintf("there is no %q; want %s, %s, %s or %s", kind, Student, Saul, LLLVM, GPLVM)}
	}
	for other, set := range of {
		if set && other != kind {
			return &OptionError{"Kind", fmt.Sprintf("options of %s are set for a map of kind %s; leave them zero, or choose that kind", other, kind)}
		}
	}
	return nil
}

// optionNames are the fields by the names that the insides have for them.
var optionNames = map[string]string{
	"dims": "Dims", "neighbors": "Neighbors", "steps": "Steps", "recall": "Recall", "search": "Search",
	"tail": "Student.Tail", "weight": "Student.Weight", "thorough": "Student.Thorough", "frame": "Student.Frame", "reach": "Student.Reach", "density": "Student.Density", "supervision": "Student.Supervision", "core": "Saul.Core", "components": "Saul.Largest",
}

func optionName(setting string) string {
	if name, known := optionNames[setting]; known {
		return name
	}
	return setting
}

// kindOf is the kind of a map's model.
func kindOf(s *snapshot.Snapshot) Kind {
	switch {
	case s.Kind != fit.LVM:
		return Kind(s.Kind)
	case lvm.TailsOf(s) == lvm.Gaussian:
		return Saul
	}
	return Student
}
