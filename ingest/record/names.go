package record

import (
	"maps"
	"slices"
)

// Names are those of the fields below n that are wanted by name, sorted.
func (n *Node) Names() []string {
	if n == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(n.children))
}
