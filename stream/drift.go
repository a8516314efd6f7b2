package stream

// Drift says whether the newest events are from the distribution of the reference set, as of
// the last look at them; see package models/drift. The zero value is that of nobody looking.
type Drift struct {
	// Version is that of the map whose points the sample was drawn from.
	Version uint64 `json:"version"`
	// Window events are held against Reference points; 0 as long as they are gathered.
	Window    int `json:"window"`
	Reference int `json:"reference"`
	// Tree and Neighbors are by how many deviations there are fewer edges between both than
	// chance has it, on a spanning tree and on neighbour lists; Degree by how many the
	// newest events have more edges than others.
	Tree      float64 `json:"tree"`
	Neighbors float64 `json:"neighbors"`
	Degree    float64 `json:"degree"`
	// P is the probability of Neighbors or more if both are of one distribution, at one look.
	P float64 `json:"p"`
	// Level is what is watched, Bound what it crosses where an alarm is raised. Alarm: it is
	// above.
	Level float64 `json:"level"`
	Bound float64 `json:"bound"`
	Alarm bool    `json:"alarm"`
	// Raised: an alarm was raised since the report before.
	Raised bool `json:"-"`
	// Alarms were raised since the process began, over Events that were looked at; Skipped ones
	// were not: they came faster than that, or there was no sample.
	Alarms  uint64 `json:"alarms"`
	Events  uint64 `json:"events"`
	Skipped uint64 `json:"skipped"`
	// Problem is why nobody looks, "" if there is none.
	Problem string `json:"problem,omitempty"`
	// Clusters are the same tests within clusters, if they are known.
	Clusters []ClusterDrift `json:"clusters,omitempty"`
}

// ClusterDrift is Drift within a cluster: of the edges whose ends are both in it.
type ClusterDrift struct {
	// Cluster is its id; so many points of the sample and of the window are in it.
	Cluster   uint64 `json:"cluster"`
	Reference int    `json:"reference"`
	Window    int    `json:"window"`
	// Tree, Neighbors, Degree and P are as in Drift.
	Tree      float64 `json:"tree"`
	Neighbors float64 `json:"neighbors"`
	Degree    float64 `json:"degree"`
	P         float64 `json:"p"`
}
