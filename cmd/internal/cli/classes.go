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
func learnClasses(ctx context.Context, s *snapshot.Snapshot, at models.Placed, label []string, threads int) (told classes, err error) {
	set := labels.Swift()
	set.Threads = threads
	c, _, err := labels.Train(ctx, labels.EventsAt(at, label, nil), nil, set)
	if err != nil {
		return told, err
	}
	parts, err := c.Parts()
	if err != nil {
		return told, err
	}
	s.Parts = append(s.Parts, parts...)
	told.class, told.probability, err = c.Tell(at, threads)
	return told, err
}
