package identity

import (
	"cmp"
	"math"

	"unfold/models"
)

// ID is that of a cluster, from 1. It is never used again.
type ID uint64

// What a point may be instead of a member.
const (
	Noise  ID = 0              // in no cluster
	Absent ID = math.MaxUint64 // not on that map
)

// Settings say when clusters are the same. The zero value works.
type Settings struct {
	// Overlap is the least overlap, (2), of a cluster that goes on, above 0 and at most 1.
	// Default 0.2.
	Overlap float64
	// Memory is L of (2), how many maps a point remembers, and Decay what each further one
	// counts. Defaults 4 and 0.9.
	Memory int
	Decay  float64
	// Patience is on how many maps in a row a cluster may be missing. Default Memory-1, the most
	// that points remember; negative: on none.
	Patience int
	// Least is how many points a cluster has at least. One that is missing has no way back, and
	// is dead at once, if fewer of those that were in it are left on the map. Default 1;
	// Follow and Name take that of the clusters.
	Least int
	// Favour is by how much, as a share, other clusters must be better before those that
	// there are give way to them (Keep). Default 1, twice as good; negative: they need not be.
	Favour float64
	// Young is on how many maps points may have been that count as new, at most 255. Default
	// 20; negative: none do.
	Young int
	// Growth is the change of size, as a share of that reported last, that is reported.
	// Default 0.2.
	Growth float64
}

// Filled returns the settings with their defaults, or a *models.SettingError. Filled again they
// are the same.
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

// State is what is known of the clusters so far, to be kept as JSON. The zero value is that
// before the first map.
type State struct {
	// Last is the id that was given last.
	Last ID `json:"last"`
	// Clusters are those that live, in ascending order of their ids.
	Clusters []Cluster `json:"clusters,omitempty"`
}

// Cluster is one that lives.
type Cluster struct {
	ID ID `json:"id"`
	// Size is its number of points on the newest map that it was on, Noted the one that
	// was reported last.
	Size  int `json:"size"`
	Noted int `json:"noted"`
	// Missing counts the maps since that one; it is there if 0. Into is the cluster that
	// most of its points were in when it went missing, Noise if there is none.
	Missing int `json:"missing,omitempty"`
	Into    ID  `json:"into,omitempty"`
}

// Memory is which clusters points were in on the last maps.
type Memory struct {
	// Depth is the number of maps; ID has a row of so many a point, the newest map first.
	Depth int
	ID    []ID
	// Maps is on how many maps each point was, counted up to 255; 255 for those of the first
	// clusters.
	Maps []uint8
}

// Row is that of a point; do not change it.
func (m Memory) Row(i int) []ID { return m.ID[i*m.Depth : (i+1)*m.Depth] }

// Rows is the number of points.
func (m Memory) Rows() int {
	if m.Depth == 0 {
		return 0
	}
	return len(m.ID) / m.Depth
}

// Take returns the memory of the points of another map: point i is row[i] here, or negative
// if it was not on the map.
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

// Kind is what became of a cluster.
type Kind string

// The transitions; see the package's text.
const (
	Born   Kind = "born"
	Split  Kind = "split"
	Merged Kind = "merged"
	Died   Kind = "died"
	Grew   Kind = "grew"
	Shrank Kind = "shrank"
)

// Ends says whether the cluster is no more.
func (k Kind) Ends() bool { return k == Merged || k == Died }

// Event is what became of a cluster.
type Event struct {
	Kind Kind `json:"kind"`
	ID   ID   `json:"id"`
	// Other is the cluster that it split from or merged into, Noise otherwise.
	Other ID `json:"other,omitempty"`
	// Size is its number of points, Before the one that was reported last, 0 for a new one.
	Size   int `json:"size"`
	Before int `json:"before"`
}
