package cli

import (
	"context"

	"unfold/ingest/emit"
	"unfold/internal/vec"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/snapshot"
)

// mostClasses is the largest number of classes that fit learns to predict. A stage, which learns them again with
// every map, has the default of package labels.
const mostClasses = 1024

// learnClasses learns to predict classes from where labelled rows are, makes that part
// of the model, and predicts those of all rows; all asks for the probabilities of all classes.
func learnClasses(ctx context.Context, s *snapshot.Snapshot, r *fit.Result, label []string, all bool, threads int) (*labels.Predicted, error) {
	at := r.Placed
	at.Seen = vec.Take(s.Reference, r.Row)
	c, _, err := labels.Train(ctx, labels.EventsAt(at, label, nil), nil, labels.Settings{Classes: mostClasses, Threads: threads})
	if err != nil {
		return nil, err
	}
	parts, err := c.Parts()
	if err != nil {
		return nil, err
	}
	s.Parts = append(s.Parts, parts...)
	rows := make([]uint64, len(label)) // the keys of events without any
	for i := range rows {
		rows[i] = uint64(i)
	}
	return c.PredictNames(ctx, at, rows, all, threads)
}

// ownClasses predicts the classes of all rows by a model that does so by itself.
func ownClasses(ctx context.Context, s *snapshot.Snapshot, r *fit.Result, all bool, threads int) (*labels.Predicted, error) {
	c, err := labels.Open(s)
	if err != nil || c == nil {
		return nil, err
	}
	return c.PredictNames(ctx, r.Placed, nil, all, threads)
}

// addClasses adds predicted classes to an output, if there are any.
func addClasses(o *emit.Output, c *labels.Predicted) {
	if c == nil {
		return
	}
	o.Class, o.Probability = c.Class, c.Probability
	if c.Names != nil {
		o.ClassShares, o.ClassEntropy = emit.ClassShares(c.Names, c.All), c.Entropy
	}
}
