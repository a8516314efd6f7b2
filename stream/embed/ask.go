package embed

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Partial is For a source that may lack pass-through columns, whatever the settings are; existing
// ones are passed. It is for placement requests.
func (m *Map) Partial(s table.Schema, name string) (*Map, error) {
	asked := *m
	asked.set.Explain = Explain{} // it asks: see Asked.Explain
	asked.set.Mapping = ingest.Mapping{Selection: ingest.Selection{ReplaceText: m.set.Mapping.ReplaceText}}
	return asked.For(s, name)
}

// nearby is a placer that can search reference points, such as one that embeds a placing.Searcher.
type nearby interface {
	Project(x vec.Matrix[float32]) (vec.Matrix[float32], error)
	Nearest(ctx context.Context, z vec.Matrix[float32], k int) (*knn.Neighbors, error)
}

// Nearest returns the k nearest reference points of vectors, n x Placer().Dim(), by the search of
// placing: rows of the snapshot, nearest first. Distances are squared, in the model's input space
// (after PCA, if any), or their counterparts (Distance). A vector with a missing value returns a
// *models.RowError. The error of a model without neighbours matches models.ErrBadInput.
func (m *Map) Nearest(ctx context.Context, x vec.Matrix[float32], k int) (*knn.Neighbors, error) {
	p, ok := m.placer.(nearby)
	if !ok {
		return nil, models.BadInputf("a model of this kind has no neighbours")
	}
	z, err := p.Project(x)
	if err != nil {
		return nil, err
	}
	near, err := p.Nearest(ctx, z, k)
	if err != nil {
		return nil, fmt.Errorf("neighbours: %w", err)
	}
	return near, nil
}

// WithPointIDs returns the same map with ids of its reference points, instead of the snapshot's; ""
// for unknown ones, nil for none.
func (m *Map) WithPointIDs(ids []string) *Map {
	out := *m
	out.ids = ids
	return &out
}

// Distance is the distance between the map's points.
func (m *Map) Distance() distance.Distance { return m.of.Distance }

// PointIDs returns the ids of WithPointIDs, by the rows of the snapshot.
func (m *Map) PointIDs() []string { return m.ids }

// PointID returns the id of a reference point, or its number if it has none.
func (m *Map) PointID(row int) string {
	if m.ids != nil && m.ids[row] != "" {
		return m.ids[row]
	}
	return strconv.Itoa(row)
}

// Point returns the vector of the reference point with an id (PointID), as stored in the snapshot:
// without directions that the model's projection drops.
func (m *Map) Point(id string) (x []float32, there bool) {
	row := slices.Index(m.ids, id)
	if row < 0 || id == "" {
		n, err := strconv.Atoi(id)
		if err != nil || n < 0 || n >= m.of.Reference.Rows || m.PointID(n) != id {
			return nil, false
		}
		row = n
	}
	return m.vectorOf(row), true
}

// PointAt is Point for the reference point at a place, of equal points the first.
func (m *Map) PointAt(place ...float32) (x []float32, there bool) {
	if len(place) != m.of.Mu.Cols {
		return nil, false
	}
	for row := range m.of.Mu.Rows {
		if slices.EqualFunc(place, m.of.Mu.Row(row), func(a float32, b float64) bool { return a == float32(b) }) {
			return m.vectorOf(row), true
		}
	}
	return nil, false
}

// vectorOf returns the vector of a reference point.
func (m *Map) vectorOf(row int) []float32 {
	x := make([]float32, m.placer.Dim())
	m.project().Undo(x, m.of.Reference.Row(row))
	return x
}

// Snapshot is the snapshot of the map. It is read-only.
func (m *Map) Snapshot() *snapshot.Snapshot { return m.of }

// Asked is a table with placed rows, and their vectors.
type Asked struct {
	*Places
	Batch *ingest.Batch
	table *table.Table
}

// Ask is Table that also returns the vectors. Its errors are those of Table.
func (m *Map) Ask(ctx context.Context, t *table.Table) (*Asked, error) {
	b, err := m.encoder.Encode(t)
	if err != nil {
		return nil, err
	}
	placed, err := m.Vectors(ctx, b.X)
	if err != nil {
		return nil, located(b.Origin, err)
	}
	out := &Asked{placed, b, t}
	return out, out.Explain(ctx, m.set.Explain)
}

// AskVectors is Ask for vectors (n x Placer().Dim()) without records, such as those of events that
// were placed before. Their values are decoded from the vectors.
func (m *Map) AskVectors(ctx context.Context, ids table.Column, x vec.Matrix[float32]) (*Asked, error) {
	if m.encoder == nil {
		t, err := table.NewTable(table.Origin{}, table.VectorColumn("vector", x))
		if err != nil {
			return nil, err
		}
		if m, err = m.Partial(t.Schema(), t.Origin.String()); err != nil {
			return nil, err
		}
	}
	placed, err := m.Vectors(ctx, x)
	if err != nil {
		return nil, located(table.Origin{}, err)
	}
	return &Asked{placed, &ingest.Batch{ID: ids, X: x}, nil}, nil
}

// Explain explains rows, in addition to those that the map's settings select. Its errors are those
// of Table.
func (a *Asked) Explain(ctx context.Context, how Explain) error {
	err := a.explain(ctx, a.Batch.X, how, func(row int) (*table.Table, int) { return a.table, row })
	if err != nil {
		return located(a.Batch.Origin, err)
	}
	return nil
}

// All lays all rows out.
func (a *Asked) All() *emit.Output { return a.Output(a.Batch, 0, a.Batch.Len()) }
