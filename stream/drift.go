package stream

// Drift is the result of the last comparison of the newest events with the reference set: whether
// they have the same distribution. See package models/drift. It is zero if drift detection is off.
type Drift struct {
	// Version is the version of the map from whose points the sample was drawn.
	Version uint64 `json:"version"`
	// Window is the number of events that are compared with Reference points. It is 0 until there
	// are enough events.
	Window    int `json:"window"`
	Reference int `json:"reference"`
	// Tree and Neighbors are the number of standard deviations by which the edges between both
	// samples are fewer than expected. Tree counts edges of a spanning tree and Neighbors those of
	// neighbour lists. Degree is the number of standard deviations by which the newest events have
	// more edges than other points.
	Tree      float64 `json:"tree"`
	Neighbors float64 `json:"neighbors"`
	Degree    float64 `json:"degree"`
	// P is the probability of a value of at least Neighbors in one comparison if both samples have
	// the same distribution.
	P float64 `json:"p"`
	// Level is the monitored statistic, and Bound is the threshold of the alarm. Alarm is true if
	// Level exceeds Bound.
	Level float64 `json:"level"`
	Bound float64 `json:"bound"`
	Alarm bool    `json:"alarm"`
	// Raised is true if an alarm was raised since the previous report.
	Raised bool `json:"-"`
	// Alarms is the number of alarms since the process began, and Events the number of compared
	// events. Skipped events were not compared, because they arrived too fast or there was no
	// sample.
	Alarms  uint64 `json:"alarms"`
	Events  uint64 `json:"events"`
	Skipped uint64 `json:"skipped"`
	// Problem is the reason why nothing is compared, "" if there is none.
	Problem string `json:"problem,omitempty"`
	// Clusters are the results of the same tests within clusters, if clusters are known.
	Clusters []ClusterDrift `json:"clusters,omitempty"`
}

// ClusterDrift is the Drift within a cluster. It counts edges that have both ends in the cluster.
type ClusterDrift struct {
	// Cluster is the id of the cluster. Reference and Window are the numbers of its points in the
	// sample and its events in the window.
	Cluster   uint64 `json:"cluster"`
	Reference int    `json:"reference"`
	Window    int    `json:"window"`
	// Tree, Neighbors, Degree and P are as in Drift.
	Tree      float64 `json:"tree"`
	Neighbors float64 `json:"neighbors"`
	Degree    float64 `json:"degree"`
	P         float64 `json:"p"`
}
