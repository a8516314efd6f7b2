package hybrid

import (
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models/ep"
	"unfold/models/placing"
	"unfold/models/psi"
	"unfold/models/snapshot"
)

// The parts of a model file of this model in addition to placing.Parts and those of the classifier.
// n is the number of learnt reference points, and m the number of inducing inputs:
//
//	hybrid.bound    float64, 2      the bound, and the number of labelled learnt rows
//	hybrid.x        float64, n x d  the places
//	hybrid.s        float64, n x d  their variances
//	hybrid.kernel   float64         the precision of the noise, the kernel's variance, d relevances
//	hybrid.z        float64, m x d  the inducing inputs
//	hybrid.weights  float64, m x q  the weights of the means
//	hybrid.spread   float64, m x m  the weights of the variances
//	missing         uint32          indices of values, of the n x q by rows, that were
//	                                missing and are filled in, ascending; none if the part is absent
const (
	partBound   = "hybrid.bound"
	partX       = "hybrid.x"
	partS       = "hybrid.s"
	partKernel  = "hybrid.kernel"
	partZ       = "hybrid.z"
	partWeights = "hybrid.weights"
	partSpread  = "hybrid.spread"
	partMissing = "missing"
)

// Is reports whether a snapshot contains such a model.
func Is(s *snapshot.Snapshot) bool {
	_, there := s.Part(partZ)
	return there
}

// Parts returns the parts of the model and its classifier for a model file.
func (f *Fitted) Parts() []snapshot.Part {
	matrix := func(name string, m vec.Matrix[float64]) snapshot.Part {
		return snapshot.Part{Name: name, Rows: m.Rows, Cols: m.Cols, Data: m.Data}
	}
	column := func(name string, data ...float64) snapshot.Part { return matrix(name, vec.Of(len(data), 1, data)) }
	o := f.Observed
	parts := append(placing.Parts(f.Learnt, f.Units),
		column(partBound, f.Bound[len(f.Bound)-1], float64(f.Labelled)),
		matrix(partX, f.In.Mu), matrix(partS, f.In.S),
		column(partKernel, append([]float64{o.Precision, o.Kernel.Variance}, o.Kernel.Alpha...)...),
		matrix(partZ, o.Z), matrix(partWeights, o.Weights), matrix(partSpread, o.Spread))
	if f.missing != nil {
		parts = append(parts, placing.Numbers(partMissing, f.missing))
	}
	own, err := f.Classifier().Parts()
	if err != nil {
		panic(fmt.Sprintf("hybrid: names of classes are no JSON: %v", err)) // they are strings
	}
	return append(parts, own...)
}

// read reads the model from a valid snapshot. labels.Open reads its classifier.
func read(s *snapshot.Snapshot) (*Fitted, error) {
	learnt, units, err := placing.Read(s)
	if err != nil {
		return nil, err
	}
	d, n := s.Mu.Cols, len(learnt)
	f := &Fitted{Learnt: learnt, Units: units, In: psi.Inputs{Mu: vec.Matrix[float64]{Rows: n, Cols: d}, S: vec.Matrix[float64]{Rows: n, Cols: d}}, Observed: &ep.Observed{}}
	if n == 0 {
		return nil, fmt.Errorf("no points were learnt")
	}
	o := f.Observed
	z, err := snapshot.PartOf[float64](s, partZ, 0, d)
	if err != nil {
		return nil, err
	}
	m := len(z) / d
	o.Z, o.Weights, o.Spread = vec.Of(m, d, z), vec.Matrix[float64]{Rows: m, Cols: s.Reference.Cols}, vec.Matrix[float64]{Rows: m, Cols: m}
	var kernel []float64
	for _, want := range []struct {
		to         *[]float64
		name       string
		rows, cols int
	}{
		{&f.In.Mu.Data, partX, n, d}, {&f.In.S.Data, partS, n, d}, {&kernel, partKernel, d + 2, 1},
		{&o.Weights.Data, partWeights, m, s.Reference.Cols}, {&o.Spread.Data, partSpread, m, m},
	} {
		if *want.to, err = snapshot.PartOf[float64](s, want.name, want.rows, want.cols); err != nil {
			return nil, err
		}
	}
	for i, v := range kernel {
		if !(v >= 0) || i < 2 && v == 0 {
			return nil, fmt.Errorf("number %d of part %s is %g and has to be positive", i, partKernel, v)
		}
	}
	for i, v := range f.In.S.Data {
		if !(v > 0) {
			return nil, fmt.Errorf("number %d of part %s is %g and has to be positive", i, partS, v)
		}
	}
	if m == 0 {
		return nil, fmt.Errorf("part %s has no rows", partZ)
	}
	if _, there := s.Part(partMissing); there {
		if f.missing, err = placing.ReadNumbers(s, partMissing, n*s.Reference.Cols); err != nil {
			return nil, err
		}
	}
	o.Precision, o.Kernel = kernel[0], psi.Kernel{Variance: kernel[1], Alpha: kernel[2:]}
	o.Prepare()
	return f, nil
}

// Description describes a snapshot.
type Description struct {
	// Learnt is the number of learnt points, Labelled the number of those with a label, and
	// Inducing the number of inducing inputs. Missing is the number of missing values of learnt
	// points.
	Learnt, Labelled, Inducing, Missing int
	// Relevance is the relevance of each dimension for the vectors. Noise is the standard deviation
	// of their noise as a share of that of the vectors. Bound is L_H.
	Relevance    []float64
	Noise, Bound float64
}

// Describe describes a snapshot that NewPlacer accepts.
func Describe(s *snapshot.Snapshot) (d Description) {
	learnt, _, _ := placing.Read(s)
	d.Learnt = len(learnt)
	if v, err := snapshot.PartOf[float64](s, partBound, 2, 1); err == nil {
		d.Bound, d.Labelled = v[0], int(v[1])
	}
	if f, err := read(s); err == nil {
		d.Missing = len(f.missing)
		d.Inducing, d.Relevance, d.Noise = f.Observed.Z.Rows, f.Observed.Kernel.Alpha, 1/math.Sqrt(f.Observed.Precision)
	}
	return d
}
