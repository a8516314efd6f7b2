package live

import (
	"fmt"
	"strings"

	"unfold/sparse/distance"
)

// Parts selects what a Graph maintains in addition to neighbour lists.
type Parts uint

const (
	// Components are the connected components of the symmetrised lists. They are
	// those of the tree, which is kept for them.
	Components Parts = 1 << iota
	// Tree is T, the minimum spanning forest of the symmetrised lists.
	Tree
	// Reach marks which entries of K are mutually reachable (Saul 2020, eq 23).
	Reach
	// Similar is E (eq 24), with the spanning tree and the mutual reachability that it needs.
	Similar = Tree | Reach | 1<<3
	// All is all of it.
	All = Components | Similar

	// Lists are always kept.
	Lists Parts = 0
)

// Has reports whether all of q are among p.
func (p Parts) Has(q Parts) bool { return p&q == q }

func (p Parts) forest() bool { return p&(Components|Tree) != 0 }

func (p Parts) String() string {
	names := []string{"lists"}
	for _, q := range []struct {
		part Parts
		name string
	}{{Components, "components"}, {Tree, "tree"}, {Reach, "reach"}, {Similar, "similar"}} {
		if p.Has(q.part) {
			names = append(names, q.name)
		}
	}
	return strings.Join(names, "+")
}

// Settings of a Graph; the zero value works.
type Settings struct {
	// Neighbors is k, the number of neighbours of a point; 0 means 10.
	Neighbors int
	// Lists is the number of neighbours of every point in Compact, at least k: all other
	// parts are of the first k of them. 0 means k.
	Lists int
	// Core is s, the longest walk of mutual reachability; 0 means 1. Every step
	// beyond the first multiplies by k what a change reaches.
	Core int
	// Spare is the largest number of further neighbours in a list, so that most
	// deletions need no search; 0 means as many, a negative number none.
	Spare int
	// Parts selects what is maintained in addition to the lists.
	Parts Parts
	// Distance is that of the rows; the zero value is the Euclidean one.
	Distance distance.Distance
	// Threads is the number of goroutines, GOMAXPROCS if it is not positive.
	// It does not change the result.
	Threads int
}

// mostNeighbors keeps list positions within 16 bits.
const mostNeighbors = 1 << 12

func (s Settings) withDefaults(dim int) (Settings, error) {
	if s.Neighbors == 0 {
		s.Neighbors = 10
	}
	if s.Core == 0 {
		s.Core = 1
	}
	if s.Lists == 0 {
		s.Lists = s.Neighbors
	}
	if s.Spare == 0 {
		s.Spare = s.Lists
	}
	s.Spare = max(s.Spare, 0)
	switch {
	case dim < 1:
		return s, fmt.Errorf("live: rows of dimension %d, want at least 1", dim)
	case s.Neighbors < 1 || s.Neighbors > mostNeighbors:
		return s, fmt.Errorf("live: %d neighbours, want 1 to %d", s.Neighbors, mostNeighbors)
	case s.Lists < s.Neighbors || s.Lists > mostNeighbors:
		return s, fmt.Errorf("live: lists of %d neighbours, want %d to %d", s.Lists, s.Neighbors, mostNeighbors)
	case s.Spare > mostNeighbors:
		return s, fmt.Errorf("live: %d spare neighbours, want at most %d", s.Spare, mostNeighbors)
	case s.Core < 1:
		return s, fmt.Errorf("live: core is %d, want at least 1", s.Core)
	case s.Parts&^All != 0:
		return s, fmt.Errorf("live: unknown parts %#x", uint(s.Parts&^All))
	}
	return s, nil
}
