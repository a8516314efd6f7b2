package unfold

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
)

// Classifier predicts the classes of vectors from their places on a map. It belongs to one version
// of the map. It is safe for concurrent use.
type Classifier struct {
	// Names are the names of the C classes, in ascending order.
	Names []string

	of      *view
	learnt  *labels.Classifier
	threads int
}

// Classes are the predicted classes of n rows, in their order.
type Classes struct {
	// Name is the most probable class of each row.
	Name []string
	// Probability has the probabilities of the C classes, n x C, in the order of Classifier.Names;
	// empty if n is 0.
	Probability *mat.Dense
	// Entropy is the entropy of each row's probabilities, in nats: 0 if one class is certain, ln C
	// if all are equally probable.
	Entropy []float64
}

// LearnClasses learns to predict classes from the rows of x (n x Dim) and one label per row; ""
// means no label. The map does not change, and Save does not store the classes.
func (m *Map) LearnClasses(ctx context.Context, x mat.Matrix, label []string) (*Classifier, error) {
	v := m.now.Load()
	from, err := v.source(x)
	if err != nil {
		return nil, err
	}
	if len(label) != from.rows {
		return nil, public(models.BadInputf("%d labels for %d rows", len(label), from.rows), 0)
	}
	rows, err := from.dense(0, from.rows)
	if err != nil {
		return nil, err
	}
	at, err := v.place(ctx, rows)
	if err != nil {
		return nil, public(err, 0)
	}
	c, _, err := labels.Train(ctx, labels.EventsAt(at, label, nil), nil, labels.Settings{Threads: m.threads})
	if err != nil {
		return nil, public(err, 0)
	}
	return &Classifier{Names: c.Names, of: v, learnt: c, threads: m.threads}, nil
}

// Classifier returns the classifier in the map's model: GPLVM.Supervision and `unfold fit
// --classify` learn one. A map without one is bad input.
func (m *Map) Classifier() (*Classifier, error) {
	v := m.now.Load()
	c, err := labels.Open(v.snap)
	if err != nil {
		return nil, public(err, 0)
	}
	if c == nil {
		return nil, public(models.BadInputf("the map predicts no classes: learn it with GPLVM.Supervision and labels, or use LearnClasses"), 0)
	}
	return &Classifier{Names: c.Names, of: v, learnt: c, threads: m.threads}, nil
}

// Predict returns the classes of the rows of x (n x Dim). The errors are those of Place.
func (c *Classifier) Predict(ctx context.Context, x mat.Matrix) (*Classes, error) {
	from, err := c.of.source(x)
	if err != nil {
		return nil, err
	}
	out := &Classes{Name: make([]string, from.rows), Probability: &mat.Dense{}, Entropy: make([]float64, from.rows)}
	if from.rows > 0 {
		out.Probability = mat.NewDense(from.rows, len(c.Names), nil)
	}
	err = from.each(ctx, func(first int, rows vec.Matrix[float32]) error {
		placed, err := c.of.place(ctx, rows)
		if err != nil {
			return err
		}
		p, err := c.learnt.PredictNames(ctx, placed, nil, true, c.threads)
		if err != nil {
			return err
		}
		copy(out.Name[first:], p.Class)
		for i, h := range p.Entropy {
			out.Entropy[first+i] = float64(h)
			for k, q := range p.All.Row(i) {
				out.Probability.Set(first+i, k, float64(q))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
