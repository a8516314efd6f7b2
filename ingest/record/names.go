package record

import (
	"maps"
	"slices"
)

// Names returns the sorted names of the fields below n that are requested by name.
func (n *Node) Names() []string {
	if n == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(n.children))
}
