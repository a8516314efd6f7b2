package learn

import (
	"time"

	"unfold/internal/vec"
	"unfold/models/clusters/identity"
)

// Cluster describes a cluster of a map from a stream, apart from its points.
type Cluster struct {
	ID identity.ID
	// Name describes it in a few words; "" if nothing distinguishes it.
	Name string
	// Size is its number of points on the newest map that contained it. Missing is true if that is
	// not this map.
	Size    int
	Missing bool
	// First is the time when the first map that contained it was learnt.
	First time.Time
	// Centre is the mean of its points on this map. If the cluster is Missing, it is that at its
	// last event while it was present, on an earlier map.
	Centre []float64
}

// ClustersOf returns the living clusters of a map in ascending order of ids. mu are the places of
// its points. It returns none for nil g, and an error if the notes cannot be decoded.
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
