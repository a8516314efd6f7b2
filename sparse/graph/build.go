package graph

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// Components is the treatment of neighbour lists that do not connect all points.
type Components int

const (
	// Connect adds the shortest edges that join the components.
	Connect Components = iota
	// Largest keeps the points of the largest component only (Saul 2020).
	Largest
)

func (c Components) String() string {
	switch c {
	case Connect:
		return "connect"
	case Largest:
		return "largest"
	}
	return fmt.Sprintf("Components(%d)", int(c))
}

// parseComponents reads "connect" or "largest".
func parseComponents(s string) (Components, error) {
	for _, c := range []Components{Connect, Largest} {
		if s == c.String() {
			return c, nil
		}
	}
	return 0, fmt.Errorf("graph: components %q: want connect or largest", s)
}

// MarshalText encodes a choice by its name, so that files do not depend on the order of the
// constants.
func (c Components) MarshalText() ([]byte, error) {
	if c != Connect && c != Largest {
		return nil, fmt.Errorf("graph: unknown choice of components %v", c)
	}
	return []byte(c.String()), nil
}

// UnmarshalText is the inverse of MarshalText.
func (c *Components) UnmarshalText(text []byte) (err error) {
	*c, err = parseComponents(string(text))
	return err
}

// Settings are the settings of a graph; the zero value works.
type Settings struct {
	// Core is s, the maximum length of the walks of mutual reachability; 0 means 1.
	Core int
	// Components is the treatment of lists that do not connect all points.
	Components Components
	// Distance is the distance of the lists; the zero value is Euclidean.
	Distance distance.Distance
	// Paths, if not nil, are those of a graph whose nodes are the points: distances are lengths of
	// paths, and rows have no elements.
	Paths *Paths
	// Threads is the number of goroutines, GOMAXPROCS if it is not positive.
	// It does not change the result.
	Threads int
}

func (s Settings) withDefaults() (Settings, error) {
	if s.Core == 0 {
		s.Core = 1
	}
	if s.Core < 0 {
		return s, fmt.Errorf("graph: core is %d, want at least 1", s.Core)
	}
	if s.Components != Connect && s.Components != Largest {
		return s, fmt.Errorf("graph: unknown choice of components %v", s.Components)
	}
	return s, nil
}

// Build makes the neighbourhood graph E (Saul 2020, eq 24) from the k nearest neighbour lists of
// the rows of x, as knn.Graph returns them. x is only used to join components. It returns an error
// if the lists do not match x, if a setting is invalid, or if ctx ends.
func Build[T vec.Float](ctx context.Context, x vec.Matrix[T], nb *knn.Neighbors, s Settings) (*Graph, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkLists(x.Rows, nb); err != nil {
		return nil, err
	}
	var p Parts
	p.Label, p.Size = Label(nb)
	edges, _ := Symmetrize(nb)
	for _, e := range SpanningTree(nb.N, edges) {
		p.Tree = append(p.Tree, edges[e])
	}
	p.Mutual = MutualReach(nb, s.Core, s.Threads)
	return Join(ctx, x, nb, p, s)
}

// checkLists returns an error if nb cannot be the lists of n points.
func checkLists(n int, nb *knn.Neighbors) error {
	if nb.N != n || nb.K < 1 || len(nb.Index) != n*nb.K || len(nb.Dist2) != n*nb.K {
		return fmt.Errorf("graph: %d lists of %d neighbours (%d entries, %d distances) for %d rows", nb.N, nb.K, len(nb.Index), len(nb.Dist2), n)
	}
	for i := range n {
		index, _ := nb.Row(i)
		for _, j := range index {
			if j < 0 || int(j) >= n || int(j) == i {
				return fmt.Errorf("graph: point %d of %d has neighbour %d", i, n, j)
			}
		}
	}
	return nil
}
