package unfold

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
)

// Classes predict the class of vectors from their places on a map, as `unfold embed` does with a
// model that was learnt with labels. They belong to one version of the map. Safe for concurrent
// use.
type Classes struct {
	// Names are the names of the classes, in ascending order.
	Names []string

	of      *view
	learnt  *labels.Classifier
	threads int
}

// LearnClasses learns to predict classes from the rows of x (n x Dim) and their labels, one a row;
// "" means no label. The map does not change, and Save does not store the classes.
func (m *Map) LearnClasses(ctx context.Context, x mat.Matrix, label []string) (*Classes, error) {
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
	return &Classes{Names: c.Names, of: v, learnt: c, threads: m.threads}, nil
}

// Classes returns the classes in the map's model file, which `unfold fit` learns from labels; nil
// if there are none.
func (m *Map) Classes() (*Classes, error) {
	v := m.now.Load()
	c, err := labels.Open(v.snap)
	if err != nil || c == nil {
		return nil, public(err, 0)
	}
	return &Classes{Names: c.Names, of: v, learnt: c, threads: m.threads}, nil
}

// Predict returns the probability of each class for the rows of x (n x Dim): n x len(Names), empty
// if n is 0. The errors are those of Place.
func (c *Classes) Predict(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	from, err := c.of.source(x)
	if err != nil {
		return nil, err
	}
	out := new(mat.Dense)
	if from.rows > 0 {
		out = mat.NewDense(from.rows, len(c.Names), nil)
	}
	err = from.each(ctx, func(first int, rows vec.Matrix[float32]) error {
		at, err := c.of.place(ctx, rows)
		if err != nil {
			return err
		}
		part := vec.New[float64](rows.Rows, len(c.Names))
		if err := c.learnt.Probabilities(ctx, part, at, c.threads); err != nil {
			return err
		}
		for i := range part.Rows {
			out.SetRow(first+i, part.Row(i))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
