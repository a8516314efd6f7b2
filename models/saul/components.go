package saul

import "unfold/sparse/graph"

// Components says what becomes of a disconnected neighbour graph.
type Components = graph.Components

const (
	// Connect adds the shortest bridges between components: every row is learnt.
	Connect = graph.Connect
	// Largest is the paper: only the largest component is learnt, other rows
	// are placed afterwards and flagged as unlearnt. Of equal components it is that
	// with the first row. Package fit refuses a map in which the others have no
	// places of their own.
	Largest = graph.Largest
)
