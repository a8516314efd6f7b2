package labels

import (
	"encoding/json"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models/ep"
	"unfold/models/psi"
	"unfold/models/snapshot"
)

// extent returns the root of the mean squared distance of the places from their mean, or 1 if all
// are equal.
func extent(x vec.Matrix[float64]) float64 {
	mean, sum := make([]float64, x.Cols), 0.0
	for i := range x.Rows {
		vec.Axpy(1/float64(x.Rows), x.Row(i), mean)
	}
	for i := range x.Rows {
		sum += vec.SquaredDistance(x.Row(i), mean)
	}
	if !(sum > 0) {
		return 1
	}
	return math.Sqrt(sum / float64(x.Rows))
}

// whole is the single process for all places in a classifier of the first format. Its normalised
// probabilities are the prediction.
type whole struct {
	spread float64
	joint  *ep.Joint
	frame  affine
}

// Whole returns the classifier of functions of the whole map, one for each class, or one for two
// classes: they integrate over where a place may be, N(mu, sigma^2 I).
func Whole(names []string, j *ep.Joint) *Classifier {
	return &Classifier{Names: names, Spread: 1, dims: j.Z.Cols, whole: &whole{spread: 1, joint: j}}
}

// predict writes the probabilities of all classes at places.
func (w *whole) predict(dst vec.Matrix[float64], mu vec.Matrix[float32], sigma []float32) {
	n, functions := mu.Rows, w.joint.Gamma.Cols
	in := psi.Inputs{Mu: vec.Convert[float64](mu), S: vec.New[float64](n, mu.Cols)}
	for i, s := range sigma {
		w.frame.apply(in.Mu.Row(i))
		for q := range mu.Cols {
			in.S.Row(i)[q] = w.spread * float64(s) * float64(s)
		}
	}
	mean, variance := vec.New[float64](n, functions), vec.New[float64](n, functions)
	w.joint.Predict(mean, variance, in, 1)
	for i := range n {
		normalise(dst.Row(i), mean.Row(i), variance.Row(i))
	}
}

// normalise converts the functions' means and variances to probabilities.
func normalise(p, mean, variance []float64) {
	for k, m := range mean {
		p[k] = ep.Probability(m, variance[k])
	}
	if len(mean) == 1 {
		if len(p) == 2 {
			p[1] = ep.Probability(-mean[0], variance[0])
		}
		return
	}
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	for k := range p {
		if p[k] /= sum; math.IsNaN(p[k]) {
			p[k] = 1 / float64(len(p)) // all functions exclude their class
		}
	}
}

// Names of the parts of a snapshot.
const (
	partNames  = "labels.names"  // JSON, a list of texts
	partKernel = "labels.kernel" // variance, factor of the places' variances, alphas
	partZ      = "labels.z"      // inducing inputs
	partGamma  = "labels.gamma"  // weights of the means
	partSpread = "labels.spread" // those of the variances
)

// parts returns the process, and the names of its classes, as parts of a snapshot.
func (w *whole) parts(names []string) ([]snapshot.Part, error) {
	text, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	j := w.joint
	kernel := append([]float64{j.Kernel.Variance, w.spread}, j.Kernel.Alpha...)
	part := func(name string, m vec.Matrix[float64]) snapshot.Part {
		return snapshot.Part{Name: name, Rows: m.Rows, Cols: m.Cols, Data: m.Data}
	}
	out := []snapshot.Part{{Name: partNames, Rows: len(text), Cols: 1, Data: text},
		part(partKernel, vec.Of(len(kernel), 1, kernel)), part(partZ, j.Z), part(partGamma, j.Gamma), part(partSpread, j.Spread)}
	if w.frame != nil {
		out = append(out, part(partFrame, vec.Of(j.Z.Cols+1, j.Z.Cols, w.frame)))
	}
	return out, nil
}

// openWhole reads a classifier of the first format.
func openWhole(s *snapshot.Snapshot) (*Classifier, error) {
	text, err := snapshot.PartOf[byte](s, partNames, 0, 1)
	if err != nil {
		return nil, err
	}
	c := &Classifier{dims: s.Mu.Cols}
	if err := json.Unmarshal(text, &c.Names); err != nil {
		return nil, fmt.Errorf("its names: %w", err)
	}
	if len(c.Names) == 0 {
		return nil, fmt.Errorf("it has no classes")
	}
	f, d := functions(len(c.Names)), s.Mu.Cols
	kernel, err := snapshot.PartOf[float64](s, partKernel, d+2, 1)
	if err != nil {
		return nil, err
	}
	for i, v := range kernel {
		if v < 0 || i == 0 && v == 0 {
			return nil, fmt.Errorf("number %d of its kernel is %g", i, v)
		}
	}
	z, err := snapshot.PartOf[float64](s, partZ, 0, d)
	if err != nil {
		return nil, err
	}
	m := len(z) / d
	gamma, err := snapshot.PartOf[float64](s, partGamma, m, f)
	if err != nil {
		return nil, err
	}
	spread, err := snapshot.PartOf[float64](s, partSpread, f, m*(m+1)/2)
	if err != nil {
		return nil, err
	}
	c.Spread = kernel[1]
	c.whole = &whole{spread: kernel[1], joint: &ep.Joint{Kernel: psi.Kernel{Variance: kernel[0], Alpha: kernel[2:]}, Z: vec.Of(m, d, z),
		Gamma: vec.Of(m, f, gamma), Spread: vec.Of(f, m*(m+1)/2, spread)}}
	if c.whole.frame, err = readFrame(s); err != nil {
		return nil, err
	}
	c.whole.joint.Prepare()
	return c, nil
}
