package unfold

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
)

// Classes are the predicted classes of n rows, in their order.
type Classes struct {
	// Name is the most probable class of each row.
	Name []string
	// Names are those of all C classes, and Probability their probabilities, n x C; empty if n is 0.
	Names       []string
	Probability *mat.Dense
	// Entropy is that of each row's probabilities, in nats: 0 if one class is certain, ln C if all are
	// equally probable.
	Entropy []float64
}

// Classes predicts the classes of the rows of x (n x Dim) from their places. The map must have been
// learnt with GPLVM.Supervision, or by `unfold fit --classify`; others are bad input. Errors are
// else those of Place.
func (m *Map) Classes(ctx context.Context, x mat.Matrix) (*Classes, error) {
	v := m.now.Load()
	c, err := labels.Open(v.snap)
	if err != nil {
		return nil, public(err, 0)
	}
	if c == nil {
		return nil, public(models.BadInputf("the map predicts no classes: learn it with labels and GPLVM.Supervision"), 0)
	}
	from, err := v.source(x)
	if err != nil {
		return nil, err
	}
	out := &Classes{Name: make([]string, from.rows), Names: append([]string(nil), c.Names...), Probability: &mat.Dense{}, Entropy: make([]float64, from.rows)}
	if from.rows > 0 {
		out.Probability = mat.NewDense(from.rows, len(c.Names), nil)
	}
	err = from.each(ctx, func(at int, rows vec.Matrix[float32]) error {
		placed, err := v.place(ctx, rows)
		if err != nil {
			return err
		}
		p, err := c.PredictNames(ctx, placed, nil, true, m.threads)
		if err != nil {
			return err
		}
		copy(out.Name[at:], p.Class)
		for i, h := range p.Entropy {
			out.Entropy[at+i] = float64(h)
			for k, q := range p.All.Row(i) {
				out.Probability.Set(at+i, k, float64(q))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
