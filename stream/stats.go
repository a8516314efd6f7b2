package stream

import "time"

// Stats are what is known of a map that was learnt: how it came about, how far
// points moved, and what the stream was like. A learner fills what it knows.
type Stats struct {
	// Version and Epoch are those of the map, At is when it was learnt and Took how
	// long that was.
	Version uint64        `json:"version"`
	Epoch   uint32        `json:"epoch"`
	At      time.Time     `json:"at"`
	Took    time.Duration `json:"took_ns"`
	// Kind says how: first, ordinary, gentle, major, or refit for one that was learnt
	// from nothing.
	Kind string `json:"kind"`
	// Points are on the map, of which Born are new; Gone were there before.
	Points int `json:"points"`
	Born   int `json:"born"`
	Gone   int `json:"gone"`
	// LoglikPair is the likelihood's logarithm per ordered pair of points.
	LoglikPair float64 `json:"loglik_pair"`
	// Diameter is that of the map, in its units.
	Diameter float64 `json:"diameter"`
	// Moves say how far points moved that were there before, Drift how far they are
	// from where they were when the epoch began.
	Moves Quantiles `json:"moves"`
	Drift Quantiles `json:"drift"`
	// Novel is the share of new points whose local novelty was beyond 95% of that of
	// the reference points; of Judged ones, in the last few refreshes. Alarm: it has
	// been more than chance allows, for so many refreshes.
	Novel  float64 `json:"novel"`
	Judged int     `json:"judged"`
	Alarm  int     `json:"alarm"`
	// Voted labelled events, a sample of those that came since the map before, were
	// judged by it before it learnt from them: each by the vote of the nearest points
	// where the event was placed. Wrong votes were not for its label.
	Voted int `json:"voted"`
	Wrong int `json:"wrong"`
	// OldestAge is how much older the oldest reference point is than the newest
	// event.
	OldestAge time.Duration `json:"oldest_age_ns"`
	// Events, since the stream began: taken; with exactly the vector of a point; with
	// the id of one before; taken out by their id; to be taken out, but not there;
	// points that made room, were too old, or could not be put on the map; events
	// whose id was too long.
	Events         uint64 `json:"events"`
	Duplicates     uint64 `json:"duplicates"`
	Upserts        uint64 `json:"upserts"`
	Deletes        uint64 `json:"deletes"`
	UnknownDeletes uint64 `json:"unknown_deletes"`
	Evicted        uint64 `json:"evicted"`
	Expired        uint64 `json:"expired"`
	Unusable       uint64 `json:"unusable"`
	LongIDs        uint64 `json:"long_ids"`
	// Newest says whether the newest events were unlike the reference set, before the map
	// was learnt; zero where nobody looks.
	Newest Drift `json:"newest,omitzero"`
	// Classes say how the classes of events are predicted; zero where they are not.
	Classes ClassStats `json:"classes,omitzero"`
	// Clusters say what became of the map's clusters; zero where they are not sought.
	Clusters ClusterStats `json:"clusters,omitzero"`
}

// ClusterStats say how many clusters a map has, and what became of those of the map before.
type ClusterStats struct {
	// Clusters are on the map; Noise is the share of its points that are in none.
	Clusters int     `json:"clusters"`
	Noise    float64 `json:"noise"`
	// Born came of no other, Split of another one, Merged went into another one, Died
	// otherwise; Grew and Shrank have changed their size by much: with this map.
	Born   int `json:"born"`
	Split  int `json:"split"`
	Merged int `json:"merged"`
	Died   int `json:"died"`
	Grew   int `json:"grew"`
	Shrank int `json:"shrank"`
	// Births and Deaths are those since the stream began: Born and Split, Merged and Died.
	Births uint64 `json:"births"`
	Deaths uint64 `json:"deaths"`
	// Took is how long it took to find them.
	Took time.Duration `json:"took_ns"`
}

// ClassStats say how the classifier was learnt, with this map.
type ClassStats struct {
	// Classes is how many are distinguished; 0 if none could be learnt.
	Classes int `json:"classes"`
	// Took is how long learning took: from Used labelled events, of which Warm were
	// among those of the map before, in so many Sweeps over them; Negative visits
	// were left out, see package models/ep.
	Took     time.Duration `json:"took_ns"`
	Used     int           `json:"used"`
	Warm     int           `json:"warm"`
	Sweeps   int           `json:"sweeps"`
	Negative int           `json:"negative"`
	// Labelled events had come since the stream began when learning ended, Behind of
	// them after it had begun: they wait for the next map.
	Labelled uint64 `json:"labelled"`
	Behind   uint64 `json:"behind"`
}

// LabelError is the share of wrong votes, 0 if there were none.
func (f Stats) LabelError() float64 { return float64(f.Wrong) / float64(max(f.Voted, 1)) }

// Quantiles are of distances, in percent of the map's diameter.
type Quantiles struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	P99    float64 `json:"p99"`
}
