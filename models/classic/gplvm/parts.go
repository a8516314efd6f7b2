package gplvm

import (
	"fmt"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/kernel"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// These are the parts of a model file of this kind, in addition to placing.Parts. m of the
// reference points are learnt.
//
//	kernel   bytes            the kernel's name
//	theta    float64          its parameters
//	x        float64, m x d   the places
//	loglik   float64, 1       the log-likelihood with the prior of the places
//	back     float64, 4       the smooth map, if there is one: Theta, Residual
//	weights  float64, m x d   and its weights
//	active   uint32           indices of the learnt points that others are
//	                          placed with, ascending; all if the part is absent
//	noise    bytes            the name of a noise that is not Gaussian
//	sites    float64, . x 2q  and the means and precisions of each active point's sites
//	missing  uint32           indices of values, of the m x q by rows, that were
//	                          missing and are filled in, ascending; none if the part is absent
const (
	partKernel  = "kernel"
	partTheta   = "theta"
	partX       = "x"
	partLogLik  = "loglik"
	partBack    = "back"
	partWeights = "weights"
	partActive  = "active"
	partMissing = "missing"
	partNoise   = "noise"
	partSites   = "sites"
)

// Parts returns the model as parts of a model file.
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
	if f.Active != nil {
		parts = append(parts, list(partActive, f.Active))
	}
	if f.Sites != nil {
		noise, sites := []byte(f.Settings.Noise), vec.New[float64](len(f.Active), 2*f.Model.Dim())
		for r := range sites.Rows {
			copy(sites.Row(r), f.Sites.M.Row(r))
			copy(sites.Row(r)[f.Model.Dim():], f.Sites.Beta.Row(r))
		}
		parts = append(parts, snapshot.Part{Name: partNoise, Rows: len(noise), Cols: 1, Data: noise},
			snapshot.Part{Name: partSites, Rows: sites.Rows, Cols: sites.Cols, Data: sites.Data})
	}
	if f.Model.missing != nil {
		var missing []int32
		for i, is := range f.Model.missing {
			if is {
				missing = append(missing, int32(i))
			}
		}
		parts = append(parts, list(partMissing, missing))
	}
	return parts
}

// list returns a part of indices.
func list(name string, data []int32) snapshot.Part {
	out := make([]uint32, len(data))
	for i, v := range data {
		out[i] = uint32(v)
	}
	return snapshot.Part{Name: name, Rows: len(out), Cols: 1, Data: out}
}

// readList reads such a part, nil if there is none. Indices must ascend and be below n.
func readList(s *snapshot.Snapshot, name string, n int) ([]int32, error) {
	if _, ok := s.Part(name); !ok {
		return nil, nil
	}
	raw, err := snapshot.PartOf[uint32](s, name, 0, 1)
	if err != nil {
		return nil, err
	}
	out := make([]int32, len(raw))
	for i, v := range raw {
		if int64(v) >= int64(n) || i > 0 && v <= raw[i-1] {
			return nil, fmt.Errorf("part %s: number %d is %d of %d", name, i, v, n)
		}
		out[i] = int32(v)
	}
	return out, nil
}

// predictor returns the process with which others are placed.
func (f *Fitted) predictor() (*Active, error) {
	if f.Sites != nil {
		return f.Model.sparse(Probit{DefaultVariance}).given(f.Point.Theta, f.Point.X, f.Active, *f.Sites)
	}
	if f.Active == nil {
		return f.Model.Predictor(f.Point.Theta, f.Point.X, Gaussian{DefaultVariance})
	}
	return f.Model.predictor(f.Point.Theta, f.Point.X, Gaussian{DefaultVariance}, f.Active)
}

// read reads the model from a snapshot, which must be valid.
func read(s *snapshot.Snapshot, threads int) (*Fitted, error) {
	learnt, units, err := placing.Read(s)
	if err != nil {
		return nil, err
	}
	d := s.Mu.Cols
	f := &Fitted{Settings: FitSettings{Common: models.Common{Dims: d, Threads: threads}}, Learnt: learnt, Units: units}
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
	y := f.Units.All(vec.Take(s.Reference, f.Learnt))
	missing, err := readList(s, partMissing, len(y.Data))
	if err != nil {
		return nil, err
	}
	for _, i := range missing {
		y.Data[i] = math.NaN()
	}
	if f.Active, err = readList(s, partActive, len(learnt)); err != nil {
		return nil, err
	}
	if f.Model, err = New(k, y, threads); err != nil {
		return nil, err
	}
	if err := f.readSites(s); err != nil {
		return nil, err
	}
	return f, f.readBack(s)
}

// readSites reads the noise and its sites, if the noise is not Gaussian.
func (f *Fitted) readSites(s *snapshot.Snapshot) error {
	if _, ok := s.Part(partNoise); !ok {
		return nil
	}
	name, err := snapshot.PartOf[byte](s, partNoise, 0, 1)
	if err != nil {
		return err
	}
	if f.Settings.Noise = string(name); f.Settings.Noise != NoiseProbit {
		return fmt.Errorf("part %s: unknown noise model %q", partNoise, name)
	}
	q := f.Model.Dim()
	sites, err := snapshot.PartOf[float64](s, partSites, len(f.Active), 2*q)
	if err != nil {
		return err
	}
	f.Sites = &Sites{vec.New[float64](len(f.Active), q), vec.New[float64](len(f.Active), q)}
	for r := range f.Active {
		all := sites[r*2*q:][:2*q]
		copy(f.Sites.M.Row(r), all[:q])
		copy(f.Sites.Beta.Row(r), all[q:])
	}
	return nil
}

// readBack reads the smooth map, if there is one.
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

// Description describes a snapshot of this kind.
type Description struct {
	// Learnt is the number of learnt points. Kernel is their covariance, with the parameters Theta
	// named Names.
	Learnt int
	Kernel string
	Names  []string
	Theta  []float64
	// LogLik is the log-likelihood with the prior of the places.
	LogLik float64
	// Active is the number of points with which others are placed, 0 if it is all of them. Missing
	// is the number of missing values of learnt points.
	Active, Missing int
	// Noise is the name of a noise that is not Gaussian, else empty.
	Noise string
	// Smooth reports whether events are placed with a smooth map; Residual is its error.
	Smooth   bool
	Residual float64
}

// Describe describes a snapshot that NewPlacer accepts.
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
	noise, _ := snapshot.PartOf[byte](s, partNoise, 0, 1)
	d.Noise = string(noise)
	if v, err := snapshot.PartOf[float64](s, partBack, 4, 1); err == nil {
		d.Smooth, d.Residual = true, v[3]
	}
	for name, to := range map[string]*int{partActive: &d.Active, partMissing: &d.Missing} {
		if p, ok := s.Part(name); ok {
			*to = p.Rows
		}
	}
	return d
}
