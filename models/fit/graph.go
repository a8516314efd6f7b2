package fit

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
)

// LoneError is the error of a node without an edge to another node. It matches models.ErrBadInput.
type LoneError struct{ Node int }

func (e *LoneError) Error() string {
	return fmt.Sprintf("node %d has no edge to another, and so no place among them: leave it out", e.Node)
}

// Is makes the error match models.ErrBadInput.
func (e *LoneError) Is(target error) bool { return target == models.ErrBadInput }

// CheckGraph validates a spec for the nodes of a graph. It returns an error of the kind or a
// *models.SettingError.
func (s Spec) CheckGraph() error {
	k, err := s.Kinds.Find(s.Kind)
	if err != nil {
		return err
	}
	if s.Paths == nil {
		s.Paths = new(graph.Paths)
	}
	for _, err := range []error{
		models.Require(k.Graphs, "kind", "a model of kind %s is made of vectors, which the nodes of a graph do not have: choose kind %s", k.Name, LVM),
		models.Require(s.PCA <= 0, "pca", "the nodes of a graph have no vectors: leave it out"),
		models.Require(s.Distance == distance.Euclidean, "metric", "distances of the nodes of a graph are the lengths of paths, not %v: leave it out", s.Distance),
		models.Require(s.Given == nil && s.Labels == nil, "graph", "neighbours and labels are for rows, not for the nodes of a graph: leave them out"),
	} {
		if err != nil {
			return err
		}
	}
	return s.Check()
}

// Graph is Fit for the nodes of a graph without vectors. a is a valid n x n CSR whose entry i, j is
// the weight of the edge from node i to node j, above 0. Edges are undirected (graph.Lengths), and
// separate parts of the graph are joined (graph.Bridged). A distance is the length of the shortest
// path. Graph returns errors for weights that are not above 0 (*models.RowError), nodes without an
// edge (*LoneError), and fewer nodes than neighbours plus one.
func Graph(ctx context.Context, a *sparse.CSR, w graph.Weights, spec Spec, progress models.Progress) (*snapshot.Snapshot, *Result, error) {
	if a.N != a.M {
		return nil, nil, models.BadInputf("a graph has as many rows as columns, not %d x %d", a.N, a.M)
	}
	if err := spec.CheckGraph(); err != nil {
		return nil, nil, err
	}
	for i := range a.N {
		index, data := a.Row(i)
		for p, v := range data {
			if err := w.Check(v); err != nil {
				return nil, nil, &models.RowError{Row: i, Column: int(index[p]), Value: v, Want: err.Error()}
			}
		}
	}
	lengths := graph.Lengths(a, w)
	for i := range lengths.N {
		if lengths.Start[i] == lengths.Start[i+1] {
			return nil, nil, &LoneError{i}
		}
	}
	joined, parts := graph.Bridged(lengths)
	spec.PCA, spec.Paths = PCANone, graph.PathsOf(joined)
	p, err := prepare(a.N, a.N, spec, progress)
	if err != nil {
		return nil, nil, err
	}
	p.graph = &snapshot.Graph{Weights: w, Lengths: joined}
	s, err := p.run(ctx, projection.None(0), vec.New[float32](a.N, 0))
	if err != nil {
		return nil, nil, err
	}
	p.out.Report.Dim, p.out.Report.Components = a.N, parts
	return s, p.out, nil
}
