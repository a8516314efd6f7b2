package lvm

// Components says what becomes of a disconnected neighbour graph.
type Components int

const (
	// Connect adds the shortest bridges between components: every row is learnt.
	Connect Components = iota
	// Largest is the paper: only the largest component is learnt, other rows
	// are placed afterwards and flagged as unlearnt.
	Largest
)
