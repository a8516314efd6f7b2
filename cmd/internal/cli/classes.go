package cli

import (
	"context"

	"unfold/models"
	"unfold/models/ep/labels"
	"unfold/models/snapshot"
)

// classes are those of rows and their probabilities; nil if none are predicted.
type classes struct {
	class       []string
	probability []float32
}

// learnClasses learns to predict classes from where labelled rows are, makes that part
// of the model, and predicts those of all rows.
func learnClasses(ctx context.Context, s *snapshot.Snapshot, at models.Placed, label []string, threads int) (of classes, err error) {
	set := labels.Swift()
	set.Threads = threads
	c, _, err := labels.Train(ctx, labels.EventsAt(at, label, nil), nil, set)
	if err != nil {
		return of, err
	}
	parts, err := c.Parts()
	if err != nil {
		return of, err
	}
	s.Parts = append(s.Parts, parts...)
	of.class, of.probability, err = c.PredictNames(at, threads)
	return of, err
}
