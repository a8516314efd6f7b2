package stream

import "time"

// Stats are statistics of a learnt map: the course of learning, the moves of the points, and the
// events of the stream. A learner sets the fields that it knows.
type Stats struct {
	// Version and Epoch are those of the map. At is the time at which it was learnt, and Took the
	// duration of learning.
	Version uint64        `json:"version"`
	Epoch   uint32        `json:"epoch"`
	At      time.Time     `json:"at"`
	Took    time.Duration `json:"took_ns"`
	// Kind is the kind of learning: first, ordinary, gentle, major, or refit for a map that was
	// learnt from scratch.
	Kind string `json:"kind"`
	// Points is the number of points of the map. Born of them are new, and Gone points of the
	// previous map are missing.
	Points int `json:"points"`
	Born   int `json:"born"`
	Gone   int `json:"gone"`
	// LoglikPair is the log-likelihood per ordered pair of points.
	LoglikPair float64 `json:"loglik_pair"`
	// Diameter is the diameter of the map, in its units.
	Diameter float64 `json:"diameter"`
	// Moves are the distances that old points moved. Drift are their distances from their places at
	// the beginning of the epoch.
	Moves Quantiles `json:"moves"`
	Drift Quantiles `json:"drift"`
	// Novel is the share of Judged new points with a local novelty above that of 95% of the
	// reference points, over the last few refreshes. Alarm is the number of consecutive refreshes
	// in which it was larger than chance allows.
	Novel  float64 `json:"novel"`
	Judged int     `json:"judged"`
	Alarm  int     `json:"alarm"`
	// Voted is the number of labelled events that the previous map classified before this map was
	// learnt from them. They are a sample of the new events, classified by a vote of the points
	// nearest to each. Wrong is the number of wrong predictions.
	Voted int `json:"voted"`
	Wrong int `json:"wrong"`
	// OldestAge is the age difference between the oldest reference point and the newest event.
	OldestAge time.Duration `json:"oldest_age_ns"`
	// Numbers of events since the stream began, in the order of the fields: accepted events; those
	// with exactly the vector of a point; those with the id of an earlier event; deletions by id;
	// deletions of unknown ids; points that were evicted to make room, were too old, or could not
	// be put on the map; events with an id that was too long.
	Events         uint64 `json:"events"`
	Duplicates     uint64 `json:"duplicates"`
	Upserts        uint64 `json:"upserts"`
	Deletes        uint64 `json:"deletes"`
	UnknownDeletes uint64 `json:"unknown_deletes"`
	Evicted        uint64 `json:"evicted"`
	Expired        uint64 `json:"expired"`
	Unusable       uint64 `json:"unusable"`
	LongIDs        uint64 `json:"long_ids"`
	// Newest is the result of testing the newest events for drift before the map was learnt; zero
	// if drift detection is off.
	Newest Drift `json:"newest,omitzero"`
	// Classes are the statistics of class prediction; zero if classes are not predicted.
	Classes ClassStats `json:"classes,omitzero"`
	// Clusters are the statistics of the map's clusters; zero if clusters are not computed.
	Clusters ClusterStats `json:"clusters,omitzero"`
}

// ClusterStats are the number of clusters of a map and the changes since the previous map.
type ClusterStats struct {
	// Clusters is the number of clusters. Noise is the share of points in no cluster.
	Clusters int     `json:"clusters"`
	Noise    float64 `json:"noise"`
	// Born clusters have no predecessor, Split ones were part of another, Merged ones became part
	// of another, and Died ones have no successor. Grew and Shrank have changed their size
	// substantially. All count changes with this map.
	Born   int `json:"born"`
	Split  int `json:"split"`
	Merged int `json:"merged"`
	Died   int `json:"died"`
	Grew   int `json:"grew"`
	Shrank int `json:"shrank"`
	// Births and Deaths are totals since the stream began: of Born and Split, and of Merged and
	// Died.
	Births uint64 `json:"births"`
	Deaths uint64 `json:"deaths"`
	// Took is the time of finding the clusters.
	Took time.Duration `json:"took_ns"`
}

// ClassStats are the statistics of learning the classifier of this map.
type ClassStats struct {
	// Classes is the number of classes, 0 if no classifier could be learnt.
	Classes int `json:"classes"`
	// Took is the time of learning from Used labelled events in Sweeps passes. Warm of the events
	// were already used for the previous map. Negative is the number of skipped updates; see
	// package models/ep.
	Took     time.Duration `json:"took_ns"`
	Used     int           `json:"used"`
	Warm     int           `json:"warm"`
	Sweeps   int           `json:"sweeps"`
	Negative int           `json:"negative"`
	// Labelled is the number of labelled events since the stream began, at the end of learning.
	// Behind of them arrived after learning had begun, and wait for the next map.
	Labelled uint64 `json:"labelled"`
	Behind   uint64 `json:"behind"`
}

// LabelError returns the share of wrong predictions, 0 if there were none.
func (f Stats) LabelError() float64 { return float64(f.Wrong) / float64(max(f.Voted, 1)) }

// Quantiles are quantiles of distances, in percent of the map's diameter.
type Quantiles struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	P99    float64 `json:"p99"`
}
