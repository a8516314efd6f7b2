package unfold

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/lllvm"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/distance"
	"unfold/sparse/knn/auto"
)

// Kind is the kind of model of a map.
type Kind string

const (
	// Student is the default: Saul's latent variable model with heavy tails. It separates groups,
	// scales to a million rows, and its maps can be updated.
	Student Kind = "student"
	// Saul is the same model with Gaussian tails, as published (Saul 2020). It preserves more of
	// the large distances and is slower. Its maps can be updated.
	Saul Kind = "saul"
	// LLLVM is the locally linear latent variable model (Park et al. 2015), for about a thousand
	// rows on a smooth sheet.
	LLLVM Kind = "lllvm"
	// GPLVM is the Gaussian process latent variable model (Lawrence 2005), for about a thousand
	// rows. Values of its rows may be missing (NaN).
	GPLVM Kind = "gplvm"
)

// Search selects the search for nearest neighbours.
type Search string

const (
	// SearchAuto chooses by the number of rows, their length and the recall.
	SearchAuto Search = ""
	// SearchExact compares all pairs.
	SearchExact Search = "exact"
	// SearchHNSW places rows with a hierarchical graph. Fit chooses its own search as with
	// SearchAuto.
	SearchHNSW Search = "hnsw"
	// SearchDescent improves neighbour lists iteratively. It is for Fit, not for Place.
	SearchDescent Search = "descent"
)

// Metric is the distance between rows, by its name for the flag --metric.
type Metric string

const (
	// Euclidean is the default. Rows of length 1 give the order of the cosine distance.
	Euclidean Metric = "euclidean"
	// Manhattan is the sum of the absolute differences of the elements.
	Manhattan Metric = "manhattan"
	// Chebyshev is the largest absolute difference.
	Chebyshev Metric = "chebyshev"
	// Jaccard, for rows of 0 and 1, is the share of differing columns among those with a 1 in
	// either row.
	Jaccard Metric = "jaccard"
	// Canberra is the sum of absolute differences, each divided by the sum of its two values.
	Canberra Metric = "canberra"
	// BrayCurtis, for values not below 0, is the sum of absolute differences divided by the sum of
	// all values of both rows.
	BrayCurtis Metric = "braycurtis"
	// Dice, for rows of 0 and 1, is the number of differing columns divided by the number of ones of
	// both rows.
	Dice Metric = "dice"
	// RogersTanimoto, for rows of 0 and 1, counts differing columns double: 2h / (n + h) for h of n
	// columns.
	RogersTanimoto Metric = "rogerstanimoto"
	// SokalSneath is RogersTanimoto without columns that are 0 in both rows.
	SokalSneath Metric = "sokalsneath"
)

// Minkowski returns the metric with power p, the p-th root of the sum of p-th powers of absolute
// differences. p is a number from 1 to 100 with at most three decimals.
func Minkowski(p float64) Metric {
	return Metric("minkowski:" + strconv.FormatFloat(p, 'g', -1, 64))
}

// Frame is a coarse map that is known before learning. Learning starts from it and keeps places
// near it, which determines the global arrangement.
type Frame string

const (
	// FrameAuto is FrameGeodesic if the rows lie on a curved sheet, else FramePCA. For 100,000 rows
	// and more it is the map of a sample.
	FrameAuto Frame = ""
	// FrameNone uses no frame.
	FrameNone Frame = "none"
	// FramePCA are principal components.
	FramePCA Frame = "pca"
	// FrameMDS is multidimensional scaling of distances.
	FrameMDS Frame = "mds"
	// FrameGeodesic is multidimensional scaling of distances along the data, which unrolls a sheet.
	FrameGeodesic Frame = "geodesic"
)

// NoPCA turns off the projection, for vectors of any width.
const NoPCA = -1

// Options are the options of a fit. The zero value works: a zero field stands for the default in
// its comment.
type Options struct {
	// Kind is the kind of model. Default Student.
	Kind Kind
	// Dims is the dimension of the map. Default 2.
	Dims int
	// Neighbors is the number of neighbours of each point that the map keeps close. Default 8 for
	// Student, else 9.
	Neighbors int
	// Steps bounds the iterations of learning. The default depends on the kind and on the
	// number of points: 80 to 200 for Student, 400 for Saul.
	Steps int
	// Seed is the seed of all random numbers. The same rows, Options and Seed give the same map.
	Seed uint64
	// Threads bounds the goroutines that compute. It does not affect the map. Default GOMAXPROCS.
	Threads int
	// PCA is the number of principal components onto which vectors are first projected. For vectors
	// of more than 50 elements, the default is the least number from 50 to 256 that preserves the
	// nearest neighbours of a sample of rows, or none if this would save little. NoPCA turns it
	// off.
	PCA int
	// Metric is the distance between rows, default Euclidean. Others are for the kinds Student and
	// Saul, and exclude PCA.
	Metric Metric
	// Search selects the neighbour search, and Recall is the share of neighbours that it must find,
	// above 0 and at most 1 (all). Defaults SearchAuto, 0.99.
	Search Search
	Recall float64
	// Labels are the labels of the rows; "" means no label. They require Student.Supervision or
	// GPLVM.Supervision.
	Labels []string
	// Progress, if not nil, is called during a fit with the completed and total units of a stage.
	// Calls do not overlap. It should return quickly.
	Progress func(stage string, done, total int)

	// These options belong to one kind each. They must be zero for other kinds.
	Student StudentOptions
	Saul    SaulOptions
	LLLVM   LLLVMOptions
	GPLVM   GPLVMOptions
}

// StudentOptions are the options of kind Student only.
type StudentOptions struct {
	// Thorough takes two and a half times the steps and solves each more exactly. Maps are a little
	// better and take several times as long.
	Thorough bool
	// Frame is the frame near which places are kept. Default FrameAuto.
	Frame Frame
	// Coordinates, n x Dims for n rows, are known places of the rows, such as geography or an
	// earlier map. They are used as the frame, in any scale and orientation, and the final map is
	// aligned with them. A row that contains NaN is free. Frame must then be FrameAuto. The
	// coordinates are not retained.
	Coordinates mat.Matrix
	// Reach is the rank of the farthest neighbour that attracts a point, in addition to its
	// nearest. Default seven times Neighbors, and at most a tenth of the points.
	Reach int
	// Density makes the density of the map follow that of the data: distances to neighbours on the
	// map are about those in the data to the power of Density, up to 4. With 2 it follows closely.
	// With the default 0 it follows only weakly.
	Density float64
	// Supervision, from 0 to 1, is the influence of Options.Labels on learning. The weight of a
	// near neighbour with another label is multiplied by 1 - Supervision. Default 0, which excludes
	// Labels. The places of rows that are placed later do not depend on their labels.
	Supervision float64
	// Tail is the shape of the tails; smaller is heavier. Default Dims/2.
	Tail float64
	// Weight is the weight of a pair of points that are not neighbours. A larger one moves groups
	// apart. Default 0.086, more for few points. In two dimensions, more than 12 times the default
	// loses neighbours (Result.Warnings).
	Weight float64
}

// SaulOptions are the options of kind Saul only.
type SaulOptions struct {
	// Core is the number of steps along the neighbour graph within which a pair is similar. Default
	// 1.
	Core int
	// Largest learns only the largest connected part of the neighbour graph and places the other
	// points with it. By default the parts are connected at their closest points.
	Largest bool
}

// LLLVMOptions are the options of kind LLLVM only.
type LLLVMOptions struct {
	// Points is the largest number of points that are learnt, a sample of all. The others are
	// placed with it. Default 1000.
	Points int
	// Restarts is the number of random starts of learning. The best result is kept. Default 1.
	Restarts int
}

// GPLVMOptions are the options of kind GPLVM only.
type GPLVMOptions struct {
	// Points is the largest number of points that are learnt, a sample of all. The others are
	// placed with it. Default 1000.
	Points int
	// Kernel is the covariance function, a sum of rbf, linear, mlp, bias and white.
	// Default rbf+bias+white.
	Kernel string
	// Restarts is the number of starts of learning. The best result is kept. Default 1.
	Restarts int
	// Smooth places with a smooth function of the vector, in microseconds instead of milliseconds,
	// and less exactly.
	Smooth bool
	// Supervision, from 0 to 1, selects learning of one latent space for the rows and
	// Options.Labels. All values above 0 are equivalent. The map then predicts classes
	// (Map.Classifier). The rows must be finite and have labels of at least two classes. Kernel,
	// Restarts and Smooth must be zero. Default 0, which excludes Labels. The places of rows that
	// are placed later do not depend on their labels.
	Supervision float64
}

// spec converts the options to those of package fit.
func (o Options) spec() (fit.Spec, error) {
	var s fit.Spec
	if err := cmp.Or(o.checkKind(), o.checkLabels()); err != nil {
		return s, err
	}
	if s.PCA = o.PCA; o.PCA == NoPCA {
		s.PCA = fit.PCANone
	}
	s.Common = models.Common{
		Dims: o.Dims, Neighbors: o.Neighbors, Steps: o.Steps, Seed: o.Seed, Threads: o.Threads, Labels: o.Labels,
		Search: auto.Settings{Recall: o.Recall},
	}
	if o.Metric != "" {
		d, err := distance.Parse(string(o.Metric))
		if err != nil {
			return s, &OptionError{"Metric", fmt.Sprintf("there is no %q; want one of %s, and scale rows to length 1 for the cosine distance", o.Metric, strings.Join(distance.Choices(), ", "))}
		}
		s.Distance = d
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
		s.GPLVM = gplvm.Options{Points: o.GPLVM.Points, Kernel: o.GPLVM.Kernel, Restarts: o.GPLVM.Restarts, Smooth: o.GPLVM.Smooth, Supervision: o.GPLVM.Supervision}
	}
	err := s.Check()
	var setting *models.SettingError
	if o.Kind == GPLVM && errors.As(err, &setting) && setting.Name == "supervision" {
		return s, &OptionError{"GPLVM.Supervision", setting.Problem}
	}
	if err != nil && !errors.As(err, &setting) {
		return s, &OptionError{"Kind " + string(o.Kind), err.Error()}
	}
	return s, public(err, 0)
}

// frame sets the frame near which places are kept.
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

// checkKind rejects unknown kinds, and options of another kind.
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

// checkLabels rejects labels without supervision, and the reverse.
func (o Options) checkLabels() error {
	if (o.Student.Supervision > 0 || o.GPLVM.Supervision > 0) != (o.Labels != nil) {
		return &OptionError{"Labels", "labels go with Student.Supervision or GPLVM.Supervision above 0, and that with labels"}
	}
	return nil
}

// optionNames maps internal names of settings to fields of Options.
var optionNames = map[string]string{
	"dims": "Dims", "neighbors": "Neighbors", "steps": "Steps", "recall": "Recall", "search": "Search", "metric": "Metric", "pca": "PCA", "kind": "Kind",
	"min_size": "ClusterOptions.MinSize", "min_samples": "ClusterOptions.MinSamples", "selection": "ClusterOptions.Selection", "epsilon": "ClusterOptions.Epsilon",
	"window": "DriftOptions.Window", "events": "DriftOptions.FalseAlarm",
	"tail": "Student.Tail", "weight": "Student.Weight", "thorough": "Student.Thorough", "frame": "Student.Frame", "reach": "Student.Reach", "density": "Student.Density", "supervision": "Student.Supervision", "core": "Saul.Core", "components": "Saul.Largest",
}

func optionName(setting string) string {
	if name, known := optionNames[setting]; known {
		return name
	}
	return setting
}

// kindOf returns the kind of a map.
func kindOf(s *snapshot.Snapshot) Kind {
	switch {
	case s.Kind != fit.LVM:
		return Kind(s.Kind)
	case lvm.TailsOf(s) == lvm.Gaussian:
		return Saul
	}
	return Student
}
