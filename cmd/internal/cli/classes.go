package cli

import (
	"context"

	"unfold/internal/vec"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/snapshot"
)

// classes are those of rows and their probabilities; nil if none are predicted.
type classes struct {
	class       []string
	probability []float32
}

// learnClasses learns to predict classes from where labelled rows are, makes that part
// of the model, and predicts those of all rows.
func learnClasses(ctx context.Context, s *snapshot.Snapshot, r *fit.Result, label []string, threads int) (of classes, err error) {
	at := r.Placed
	at.Seen = vec.Take(s.Reference, r.Row)
	c, _, err := labels.Train(ctx, labels.EventsAt(at, label, nil), nil, labels.Settings{Threads: threads})
	if err != nil {
		return of, err
	}
	parts, err := c.Parts()
	if err != nil {
		return of, err
	}
	s.Parts = append(s.Parts, parts...)
	rows := make([]uint64, len(label)) // the keys of events without any
	for i := range rows {
		rows[i] = uint64(i)
	}
	of.class, of.probability, err = c.PredictNames(ctx, at, rows, threads)
	return of, err
}
