package gplvm

import (
	"fmt"
	"slices"

	"unfold/models/kernel"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/vec"
)

// The parts of a model file of this kind beside those of placing.Parts, m of its
// reference points being learnt:
//
//	kernel   bytes            the kernel's name
//	theta    float64          its parameters
//	x        float64, m x d   the places
//	loglik   float64, 1       the log-likelihood with the prior of the places
//	back     float64, 4       the smooth map, if there is one: Theta, Residual
//	weights  float64, m x d   and its weights
const (
	partKernel  = "kernel"
	partTheta   = "theta"
	partX       = "x"
	partLogLik  = "loglik"
	partBack    = "back"
	partWeights = "weights"
)

// Parts are the model as a model file holds it.
func (f *Fitted) Parts() []snapshot.Part {
	column := func(name string, data []float64) snapshot.Part {
		return snapshot.Part{Name: name, Rows: len(data), Cols: 1, Data: data}
	}
	name := []byte(f.Settings.Kernel)
	parts := append(placing.Parts(f.Learnt, f.Units),
		snapshot.Part{Name: partKernel, Rows: len(name), Cols: 1, Data: name},
		column(partTheta, f.Point.Theta),
		snapshot.Part{Name: partX, Rows: f.Point.X.Rows, Cols: f.Point.X.Cols, Data: f.Point.X.Data},
		column(partLogLik, []float64{f.Runs[f.Best].LogLik}),
	)
	if b := f.Back; b != nil {
		parts = append(parts, column(partBack, append(slices.Clone(b.Theta), b.Residual)),
			snapshot.Part{Name: partWeights, Rows: b.Weights.Rows, Cols: b.Weights.Cols, Data: b.Weights.Data})
	}
	return parts
}

// read takes the model from a snapshot, which has to be valid.
func read(s *snapshot.Snapshot, threads int) (*Fitted, error) {
	learnt, units, err := placing.Read(s)
	if err != nil {
		return nil, err
	}
	d := s.Mu.Cols
	f := &Fitted{Settings: FitSettings{Dims: d, Threads: threads}, Learnt: learnt, Units: units}
	name, err := snapshot.PartOf[byte](s, partKernel, 0, 1)
	if err != nil {
		return nil, err
	}
	f.Settings.Kernel = string(name)
	k, err := kernel.Parse(f.Settings.Kernel)
	if err != nil {
		return nil, err
	}
	f.Point = &Point{X: vec.Matrix[float64]{Rows: len(learnt), Cols: d}}
	for _, want := range []struct {
		to         *[]float64
		name       string
		rows, cols int
	}{{&f.Point.Theta, partTheta, k.Len(), 1}, {&f.Point.X.Data, partX, len(learnt), d}} {
		if *want.to, err = snapshot.PartOf[float64](s, want.name, want.rows, want.cols); err != nil {
			return nil, err
		}
	}
	for i, v := range f.Point.Theta {
		if !(v > 0) {
			return nil, fmt.Errorf("parameter %s is %g and has to be positive", k.Names()[i], v)
		}
	}
	if f.Model, err = New(k, f.Units.All(vec.Take(s.Reference, f.Learnt)), threads); err != nil {
		return nil, err
	}
	return f, f.readBack(s)
}

// readBack takes the smooth map, if there is one.
func (f *Fitted) readBack(s *snapshot.Snapshot) error {
	if _, ok := s.Part(partBack); !ok {
		return nil
	}
	numbers, err := snapshot.PartOf[float64](s, partBack, 4, 1)
	if err != nil {
		return err
	}
	weights, err := snapshot.PartOf[float64](s, partWeights, len(f.Learnt), s.Mu.Cols)
	if err != nil {
		return err
	}
	f.Back = &Back{
		Theta: numbers[:3], Residual: numbers[3],
		Weights: vec.Of(len(f.Learnt), s.Mu.Cols, weights), points: kernel.NewPoints(f.Model.y),
	}
	return nil
}

// Description is what there is to say of a snapshot.
type Description struct {
	// Learnt is the number of points that were learnt, Kernel their covariance with the
	// parameters Theta, named Names.
	Learnt int
	Kernel string
	Names  []string
	Theta  []float64
	// LogLik is the log-likelihood with the prior of the places.
	LogLik float64
	// Smooth tells that events are placed by a smooth map, with the error Residual.
	Smooth   bool
	Residual float64
}

// Describe describes a snapshot for which there is a Placer.
func Describe(s *snapshot.Snapshot) (d Description) {
	learnt, _, _ := placing.Read(s)
	name, _ := snapshot.PartOf[byte](s, partKernel, 0, 1)
	d.Learnt, d.Kernel = len(learnt), string(name)
	d.Theta, _ = snapshot.PartOf[float64](s, partTheta, 0, 1)
	if k, err := kernel.Parse(d.Kernel); err == nil {
		d.Names = k.Names()
	}
	if v, err := snapshot.PartOf[float64](s, partLogLik, 1, 1); err == nil {
		d.LogLik = v[0]
	}
	if v, err := snapshot.PartOf[float64](s, partBack, 4, 1); err == nil {
		d.Smooth, d.Residual = true, v[3]
	}
	return d
}
