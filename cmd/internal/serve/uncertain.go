package serve

import (
	"context"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Shares predicts the classes of events by their ids and vectors, n x Dim. It returns the
// probabilities of all classes, most probable first, and their entropies. Both are nil if the model
// predicts no classes.
func (m *Model) Shares(ctx context.Context, ids []string, x vec.Matrix[float32]) (shares [][]emit.ClassShare, entropy []float32, err error) {
	if m.m.Classes() == nil || x.Rows == 0 {
		return nil, nil, nil
	}
	asked, err := m.m.WithProbabilities().AskVectors(ctx, table.StringColumn(emit.IDName, ids), x)
	if err != nil {
		return nil, nil, err
	}
	o := asked.All()
	return o.ClassShares, o.ClassEntropy, nil
}
