package labels

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep"
	"unfold/models/psi"
	"unfold/models/score"
)

// Classifier predicts classes. It is immutable and safe for concurrent use.
type Classifier struct {
	// Names are the classes'.
	Names []string
	// Spread is the factor of the places' variances, 0 where they are left out.
	Spread float64
	joint  *ep.Joint
	// warm are the sites by which the next one starts, nil after Open; learnt is how
	// many events its kernel was learnt from, 0 after Open.
	warm   *warm
	learnt int
}

// Events are labelled places.
type Events struct {
	Mu    vec.Matrix[float64] // n x d
	Sigma []float64           // n
	Class []int32             // n, number in Names, or negative: no label
	Names []string
	// Key identifies an event from one training to the next; nil: its row does.
	Key []uint64
}

// EventsAt are events where they were placed, with labels as text, "" for none, and keys
// as Events has them.
func EventsAt(at models.Placed, label []string, key []uint64) Events {
	class, names := score.Classes(label)
	e := Events{Mu: vec.Convert[float64](at.Mu), Sigma: make([]float64, at.Mu.Rows), Class: class, Names: names, Key: key}
	for i, s := range at.Sigma {
		e.Sigma[i] = float64(s)
	}
	return e
}

// Dims returns the dimension of the map.
func (c *Classifier) Dims() int { return c.joint.Z.Cols }

// block is how many places are worked on at a time.
const block = 256

// Predict writes the class, a number in Names, and its probability for every place:
// means n x Dims and n scales.
func (c *Classifier) Predict(class []int32, probability []float32, mu vec.Matrix[float32], sigma []float32, threads int) error {
	if mu.Cols != c.Dims() {
		return &models.DimensionError{Got: mu.Cols, Want: c.Dims()}
	}
	par.Ranges(threads, mu.Rows, block, func(_, from, to int) {
		p := vec.New[float64](to-from, len(c.Names))
		c.probabilities(p, mu.Slice(from, to), sigma[from:to])
		for i := range p.Rows {
			best := 0
			for k, v := range p.Row(i) {
				if v > p.Row(i)[best] {
					best = k
				}
			}
			class[from+i], probability[from+i] = int32(best), float32(p.Row(i)[best])
		}
	})
	return nil
}

// PredictNames returns the classes of placed events by name, and their probabilities.
func (c *Classifier) PredictNames(at models.Placed, threads int) (class []string, probability []float32, err error) {
	number := make([]int32, at.Mu.Rows)
	class, probability = make([]string, at.Mu.Rows), make([]float32, at.Mu.Rows)
	if err := c.Predict(number, probability, at.Mu, at.Sigma, threads); err != nil {
		return nil, nil, err
	}
	for i, k := range number {
		class[i] = c.Names[k]
	}
	return class, probability, nil
}

// Probabilities writes those of all classes, n x len(Names).
func (c *Classifier) Probabilities(dst vec.Matrix[float64], mu vec.Matrix[float32], sigma []float32, threads int) error {
	if mu.Cols != c.Dims() {
		return &models.DimensionError{Got: mu.Cols, Want: c.Dims()}
	}
	par.Ranges(threads, mu.Rows, block, func(_, from, to int) {
		c.probabilities(dst.Slice(from, to), mu.Slice(from, to), sigma[from:to])
	})
	return nil
}

func (c *Classifier) probabilities(dst vec.Matrix[float64], mu vec.Matrix[float32], sigma []float32) {
	n, functions := mu.Rows, c.joint.Gamma.Cols
	in := psi.Inputs{Mu: vec.Convert[float64](mu), S: vec.New[float64](n, mu.Cols)}
	for i, s := range sigma {
		for q := range mu.Cols {
			in.S.Row(i)[q] = c.Spread * float64(s) * float64(s)
		}
	}
	mean, variance := vec.New[float64](n, functions), vec.New[float64](n, functions)
	c.joint.Predict(mean, variance, in, 1)
	for i := range n {
		normalise(dst.Row(i), mean.Row(i), variance.Row(i))
	}
}

// normalise turns functions into probabilities.
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
			p[k] = 1 / float64(len(p)) // surely none of them
		}
	}
}
