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

// learnClasses trains a predictor of classes on the places of labelled rows and stores it in the
// model. It returns the predicted classes of all rows. If all is set, the probabilities of all
// classes are included.
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
	rows := make([]uint64, len(label)) // rows without keys are numbered
	for i := range rows {
		rows[i] = uint64(i)
	}
	return c.PredictNames(ctx, at, rows, all, threads)
}

// ownClasses predicts the classes of all rows with a model that includes a classifier. It returns
// nil for other models.
func ownClasses(ctx context.Context, s *snapshot.Snapshot, r *fit.Result, all bool, threads int) (*labels.Predicted, error) {
	c, err := labels.Open(s)
	if err != nil || c == nil {
		return nil, err
	}
	return c.PredictNames(ctx, r.Placed, nil, all, threads)
}

// addClasses adds the predicted classes to an output. A nil c adds nothing.
func addClasses(o *emit.Output, c *labels.Predicted) {
	if c == nil {
		return
	}
	o.Class, o.Probability = c.Class, c.Probability
	if c.Names != nil {
		o.ClassShares, o.ClassEntropy = emit.ClassShares(c.Names, c.All), c.Entropy
	}
}
