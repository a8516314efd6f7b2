package snapshot

import (
	"fmt"
	"math"

	"unfold/sparse"
	"unfold/sparse/graph"
)

// Graph is the part of a map of a graph's nodes. Its points have no vectors. New points are given
// by the weights of their edges to these (package sparse/graph).
type Graph struct {
	// Weights is the meaning of edge weights.
	Weights graph.Weights
	// Lengths (n x n) are the edge lengths, symmetric and without a diagonal. They include the
	// bridges that join separate parts of the graph.
	Lengths *sparse.CSR
}

// graphFields came with version 4, because a reader that skips them would find reference points
// without vectors. A file has all of them or none.
var graphFields = []field{
	{"graph.weights", Text, false, 1, 1,
		func(s *Snapshot) content {
			if s.Graph == nil {
				return content{}
			}
			return content{1, 1, []string{s.Graph.Weights.String()}}
		},
		func(s *Snapshot, c content) {
			w, err := graph.ParseWeights(first[string](c))
			if err != nil {
				w = -1 // Validate rejects it
			}
			s.graph().Weights = w
		}, false},
	graphColumn("graph.degree", Uint32, func(a *sparse.CSR) []uint32 {
		degree := make([]uint32, a.N)
		for i := range degree {
			degree[i] = uint32(a.Start[i+1] - a.Start[i])
		}
		return degree
	}, func(a *sparse.CSR, degree []uint32) {
		a.N, a.M, a.Start = len(degree), len(degree), make([]int, len(degree)+1)
		for i, d := range degree {
			a.Start[i+1] = a.Start[i] + int(d)
		}
	}),
	graphColumn("graph.to", Uint32, func(a *sparse.CSR) []uint32 {
		to := make([]uint32, len(a.Index))
		for p, j := range a.Index {
			to[p] = uint32(j)
		}
		return to
	}, func(a *sparse.CSR, to []uint32) {
		a.Index = make([]int32, len(to))
		for p, j := range to {
			a.Index[p] = int32(min(j, math.MaxInt32))
		}
	}),
	graphColumn("graph.length", Float64, func(a *sparse.CSR) []float64 { return a.Data }, func(a *sparse.CSR, v []float64) { a.Data = v }),
}

// graphColumn returns a field of a graph's edges.
func graphColumn[T any](name string, t Type, put func(*sparse.CSR) []T, get func(*sparse.CSR, []T)) field {
	return field{name, t, false, 0, 1,
		func(s *Snapshot) content {
			if s.Graph == nil {
				return content{}
			}
			v := put(s.Graph.Lengths)
			return content{len(v), 1, v}
		},
		func(s *Snapshot, c content) { get(s.graph().Lengths, c.data.([]T)) }, false}
}

// graph returns the graph and creates it if necessary.
func (s *Snapshot) graph() *Graph {
	if s.Graph == nil {
		s.Graph = &Graph{Lengths: &sparse.CSR{}}
	}
	return s.Graph
}

// validate checks the graph of n reference points.
func (g *Graph) validate(n int) error {
	if g == nil {
		return nil
	}
	if g.Weights != graph.Similarity && g.Weights != graph.Distance {
		return fmt.Errorf("the graph has %v", g.Weights)
	}
	if g.Lengths == nil || g.Lengths.N != n || g.Lengths.M != n || len(g.Lengths.Start) != n+1 {
		return fmt.Errorf("the nodes of the graph are not the %d reference points", n)
	}
	if err := g.Lengths.Validate(); err != nil {
		return fmt.Errorf("the graph: %w", err)
	}
	if err := graph.CheckLengths(g.Lengths); err != nil {
		return fmt.Errorf("the graph: %w", err)
	}
	return nil
}

// validateGraph checks that the points of a graph have no vectors, and that the snapshot contains
// nothing derived from vectors.
func (s *Snapshot) validateGraph() error {
	n, q := s.Reference.Rows, s.Reference.Cols
	if s.Graph == nil {
		if q < 1 {
			return fmt.Errorf("reference points of dimension %d", q)
		}
		return nil
	}
	if q != 0 || s.Dim != n || s.Components.Rows > 0 || len(s.Mean) > 0 || s.Approximate() || s.links != nil {
		return fmt.Errorf("a graph, and vectors of %d values for %d reference points of dimension %d, with a projection or an index", s.Dim, n, q)
	}
	return s.Graph.validate(n)
}
