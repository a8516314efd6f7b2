package learn

import (
	"time"

	"unfold/internal/vec"
	"unfold/models/clusters/identity"
)

// Cluster is what a map from a stream knows of one of its clusters, beside its points.
type Cluster struct {
	ID identity.ID
	// Name is what sets it apart, in a few words; "" if nothing does.
	Name string
	// Size is its number of points on the newest map that it was on; it is Missing if that is
	// not this one.
	Size    int
	Missing bool
	// First is when the first map was learnt that it was on.
	First time.Time
	// Centre is the mean of its points on this map; if it is Missing, at the last event that it was
	// there for, on a map before.
	Centre []float64
}

// ClustersOf are the clusters that live of a map whose points are at mu, in ascending order of their
// ids; of a nil map there are none. The error is about notes that cannot be read.
func ClustersOf(g *identity.Groups, mu vec.Matrix[float64]) ([]Cluster, error) {
	if g == nil {
		return nil, nil
	}
	notes, err := notesOf(g)
	if err != nil {
		return nil, err
	}
	known := map[identity.ID]groupNote{}
	for _, n := range notes.Living {
		known[n.ID] = n
	}
	centres := centresOf(g, mu)
	out := make([]Cluster, len(g.State.Clusters))
	for i, c := range g.State.Clusters {
		n := known[c.ID]
		if at, there := centres[c.ID]; there {
			n.Centre = at
		}
		out[i] = Cluster{ID: c.ID, Name: n.Name, Size: c.Size, Missing: c.Missing > 0, First: n.First, Centre: n.Centre}
	}
	return out, nil
}
