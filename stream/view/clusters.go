package view

import "bytes"

// Clusters is the information that readers get on a map's clusters: names, places and history.
type Clusters struct {
	// Column is the name of the column that holds cluster ids.
	Column string `json:"column"`
	// Living holds the clusters of the newest map, in ascending order of their ids.
	Living []Cluster `json:"clusters"`
	// Events is the history of the clusters, oldest first.
	Events []ClusterEvent `json:"events"`
}

// Cluster is one cluster of the map.
type Cluster struct {
	// ID is the cluster's value in the column. Name is a short description for people, or empty.
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Size is the number of the map's points in the cluster, X and Y are its centre.
	Size int     `json:"size"`
	X    float32 `json:"x"`
	Y    float32 `json:"y"`
	// Since is the time when it was found first, in milliseconds since 1970, 0 if unknown.
	Since float64 `json:"since,omitempty"`
	// Missing is set for a cluster that the newest map lacks but that may return.
	Missing bool `json:"missing,omitempty"`
}

// ClusterEvent is a change of a cluster from one map to the next.
type ClusterEvent struct {
	// Kind is one of the identity.Kind values: born, split, merged, died, grew, shrank.
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Other is the cluster that this one split from or merged into, or empty.
	Other string `json:"other,omitempty"`
	// Size is the cluster's number of points, Before the number at its last event.
	Size   int `json:"size"`
	Before int `json:"before,omitempty"`
	// Version is the map's version, At the time of the event in milliseconds since 1970.
	Version uint64  `json:"version,omitempty"`
	At      float64 `json:"at,omitempty"`
}

// clustersMessage hands them to readers.
type clustersMessage struct {
	Type string `json:"type"`
	Clusters
}

// SetClusters sets the cluster information and sends it to readers.
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

// Clusters returns the cluster information set last.
func (h *Hub) Clusters() Clusters {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clusters
}
