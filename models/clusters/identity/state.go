package identity

import (
	"cmp"
	"math"

	"unfold/models"
)

// ID identifies a cluster. Ids start at 1 and are never reused.
type ID uint64

// The values of an ID that are not clusters.
const (
	Noise  ID = 0              // the point is in no cluster
	Absent ID = math.MaxUint64 // the point was not on that map
)

// Settings determine when clusters are the same. The zero value works.
type Settings struct {
	// Overlap is the least overlap (2) at which a cluster continues, above 0 and at most 1. Default
	// 0.2.
	Overlap float64
	// Memory is L of (2), the number of maps in a point's memory. Decay is the factor per map.
	// Defaults 4 and 0.9.
	Memory int
	Decay  float64
	// Patience is the number of consecutive maps on which a cluster may be missing. Default
	// Memory-1, which is the largest that memory allows; negative means none.
	Patience int
	// Least is the least number of points of a cluster. A missing cluster with fewer points left on
	// the map cannot return and is dead at once. Default 1; Follow and Name use the setting of the
	// clusters.
	Least int
	// Favour is the relative margin by which other clusters must be better than the present ones to
	// replace them (Keep). Default 1, twice as good; negative means no margin.
	Favour float64
	// Young is the number of maps below which a point counts as new, at most 255. Default 20;
	// negative means that none are new.
	Young int
	// Growth is the relative change of size since the last report that is reported. Default 0.2.
	Growth float64
}

// Filled returns the settings with their defaults filled in, or a *models.SettingError. It is
// idempotent.
func (s Settings) Filled() (Settings, error) {
	s.Overlap = cmp.Or(s.Overlap, 0.2)
	s.Memory = cmp.Or(s.Memory, 4)
	s.Decay = cmp.Or(s.Decay, 0.9)
	s.Least = cmp.Or(s.Least, 1)
	s.Patience = cmp.Or(s.Patience, s.Memory-1)
	s.Favour = cmp.Or(s.Favour, 1)
	s.Young = cmp.Or(s.Young, 20)
	s.Growth = cmp.Or(s.Growth, 0.2)
	return s, cmp.Or(
		models.Require(s.Overlap > 0 && s.Overlap <= 1, "overlap", "%v; give a share above 0 and at most 1", s.Overlap),
		models.Require(s.Memory >= 1, "memory", "%d; points remember at least the map before", s.Memory),
		models.Require(s.Decay > 0 && s.Decay <= 1, "decay", "%v; give a factor above 0 and at most 1", s.Decay),
		models.Require(s.Patience < s.Memory, "patience", "%d; points remember %d maps", s.Patience, s.Memory),
		models.Require(s.Least >= 1, "least", "%d; a cluster has at least a point", s.Least),
		models.Require(s.Young <= math.MaxUint8, "young", "%d; the maps of a point are counted up to %d", s.Young, math.MaxUint8),
		models.Require(s.Growth > 0, "growth", "%v; give a share above 0", s.Growth),
	)
}

// State is the state of the clusters, to be stored as JSON. The zero value is the state before the
// first map.
type State struct {
	// Last is the last id that was assigned.
	Last ID `json:"last"`
	// Clusters are the living clusters in ascending order of their ids.
	Clusters []Cluster `json:"clusters,omitempty"`
}

// Cluster is a living cluster.
type Cluster struct {
	ID ID `json:"id"`
	// Size is its number of points on the newest map that contained it, Noted the last reported
	// size.
	Size  int `json:"size"`
	Noted int `json:"noted"`
	// Missing is the number of maps since then; 0 if it is present. Into is the cluster that
	// contained most of its points when it went missing, or Noise.
	Missing int `json:"missing,omitempty"`
	Into    ID  `json:"into,omitempty"`
}

// Memory lists the clusters of points on the last maps.
type Memory struct {
	// Depth is the number of maps. ID has a row of Depth ids per point, newest map first.
	Depth int
	ID    []ID
	// Maps is the number of maps of each point, up to 255. It is 255 for the points of the first
	// clusters.
	Maps []uint8
}

// Row returns the ids of a point. It is read-only.
func (m Memory) Row(i int) []ID { return m.ID[i*m.Depth : (i+1)*m.Depth] }

// Rows returns the number of points.
func (m Memory) Rows() int {
	if m.Depth == 0 {
		return 0
	}
	return len(m.ID) / m.Depth
}

// Take returns the memory of the points of another map. Its point i is row[i] here, or negative if
// it was not on the map.
func (m Memory) Take(row []int32, depth int) Memory {
	out := Memory{Depth: depth, ID: make([]ID, len(row)*depth), Maps: make([]uint8, len(row))}
	for i, r := range row {
		to := out.Row(i)
		for l := range to {
			to[l] = Absent
		}
		if r >= 0 && int(r) < m.Rows() {
			copy(to, m.Row(int(r)))
			out.Maps[i] = m.Maps[r]
		}
	}
	return out
}

// Kind is the kind of a transition.
type Kind string

// The transitions: see the package comment.
const (
	Born   Kind = "born"
	Split  Kind = "split"
	Merged Kind = "merged"
	Died   Kind = "died"
	Grew   Kind = "grew"
	Shrank Kind = "shrank"
)

// Ends reports whether the transition ends the cluster.
func (k Kind) Ends() bool { return k == Merged || k == Died }

// Event is a transition of a cluster.
type Event struct {
	Kind Kind `json:"kind"`
	ID   ID   `json:"id"`
	// Other is the cluster that it split from or merged into, else Noise.
	Other ID `json:"other,omitempty"`
	// Size is its number of points, Before the last reported one, 0 for a new cluster.
	Size   int `json:"size"`
	Before int `json:"before"`
}
