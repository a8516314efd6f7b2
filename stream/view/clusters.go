package view

import "bytes"

// Clusters are what is known of the clusters of a map, for readers: their names, where they are,
// and what became of them.
type Clusters struct {
	// Column names the column whose values are ids of clusters.
	Column string `json:"column"`
	// Living are those of the newest map, in ascending order of their ids.
	Living []Cluster `json:"clusters"`
	// Events are what became of clusters, oldest first.
	Events []ClusterEvent `json:"events"`
}

// Cluster is a cluster that is on the map.
type Cluster struct {
	// ID is its value in the column, Name a few words for people, "" for none.
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Size is how many points of the map it has, X and Y are its centre.
	Size int     `json:"size"`
	X    float32 `json:"x"`
	Y    float32 `json:"y"`
	// Since is when it was found first, in milliseconds since 1970; 0: not known.
	Since float64 `json:"since,omitempty"`
	// Missing says that the newest map lacks it, and that it may come back.
	Missing bool `json:"missing,omitempty"`
}

// ClusterEvent is what became of a cluster with a map.
type ClusterEvent struct {
	// Kind is one of identity.Kind: born, split, merged, died, grew, shrank.
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Other is the cluster that it split from or merged into, "" for none.
	Other string `json:"other,omitempty"`
	// Size is its number of points, Before the one that was reported last.
	Size   int `json:"size"`
	Before int `json:"before,omitempty"`
	// Version is the map's, At when that was learnt, in milliseconds since 1970.
	Version uint64  `json:"version,omitempty"`
	At      float64 `json:"at,omitempty"`
}

// clustersMessage hands them to readers.
type clustersMessage struct {
	Type string `json:"type"`
	Clusters
}

// SetClusters hands readers what is known of clusters.
func (h *Hub) SetClusters(c Clusters) {
	c.Living = append([]Cluster{}, c.Living...)
	c.Events = append([]ClusterEvent{}, c.Events...)
	for i := range c.Living {
		if v := &c.Living[i]; !finite(v.X, v.Y) {
			v.X, v.Y = 0, 0 // JSON has no such numbers
		}
	}
	text := encode(clustersMessage{"clusters", c})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clusters = c
	if !bytes.Equal(text, h.clustersText) {
		h.clustersText = text
		h.post(Message{Text: true, Data: text})
	}
}

// Clusters are what was set last.
func (h *Hub) Clusters() Clusters {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clusters
}
