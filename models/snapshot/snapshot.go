package snapshot

import (
	"unfold/internal/offsets"
	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn/hnsw"
	"unfold/sparse/knn/ivf"
)

// Snapshot is an immutable state of a map: everything that placing an event
// needs, and what learning needs to go on. All fields are read-only once the
// snapshot has been published.
type Snapshot struct {
	// Kind names the model, as package fit has it.
	Kind string
	// MapID is the map's own, 32 hexadecimal digits (NewMapID, ContentID): all snapshots
	// of one map have it, and no other map has. Empty in files from before there were ids.
	MapID string
	// Version counts snapshots of one map upwards from 1; Epoch counts its
	// coordinate frames from 1.
	Version uint64
	Epoch   uint32
	// Settings are the model's own settings as JSON.
	Settings []byte
	// Encoder is how raw records become vectors (vocabularies, means, ...), as
	// bytes that only package ingest reads. Empty: vectors come as they are.
	Encoder []byte
	// Learning is what a learner knows beside the map, to go on with it, and what it
	// has to say about it, as JSON that only package stream/learn reads.
	Learning []byte
	// Names are the names of the encoded vector's elements, or nil.
	Names []string

	// Mean (dim) and Components (q x dim, orthonormal rows) are the PCA that
	// comes before neighbour search: z = Components (x - Mean). Components has
	// no rows if there is none; then z = x.
	Mean       []float32
	Components vec.Matrix[float32]
	// Dim is the dimension of an event's vector, before PCA.
	Dim int

	// Distance is that between reference points, events and each other.
	Distance distance.Distance

	// Graph is there if the map is one of a graph. Reference is n x 0 then, and Dim n.
	Graph *Graph

	// Reference are the reference points z, n x q. Count[i] >= 1 is how many
	// events were exact duplicates of point i.
	Reference vec.Matrix[float32]
	// Release, if not nil, is called after every 16 MiB of Reference that Validate or Write has
	// read: rows in a mapped file need not stay in memory. It is not written.
	Release func()
	Count   []uint32
	// IDs are those of the newest events that the points are, "" where none is known; nil
	// if none is.
	IDs []string

	// Mu (n x d), Sigma2 (n) are the latent means and variances.
	Mu     vec.Matrix[float64]
	Sigma2 []float64
	// Bandwidth2 (n) says whose neighbour an event is. With Gaussian tails it is
	// Delta_i^2, the squared dissimilarity length scale: an event within
	// sqrt(2 ln 2 Delta_i^2) of point i receives an edge from it. With heavy tails
	// it is the squared distance to the k-th neighbour itself, in units of the
	// input and not clipped: an event within its root receives an edge.
	Bandwidth2 []float64
	// Student is there if the map was learnt with heavy tails. Nil means Gaussian
	// tails.
	Student *Student
	// Neighbors is the model's k.
	Neighbors int
	// Steps is the number of EM steps that Mu and Sigma2 went through. The
	// scale of a new event goes through as many (package saul).
	Steps int
	// Dissimilar is the share, in [0,1), of a typical point's weight that lies in
	// dissimilar pairs (package saul, eq 21).
	Dissimilar float64
	// Unlearnt[i] marks a reference point that was placed, not learnt
	// (components: largest). Nil means none.
	Unlearnt []bool

	// Novelty tables; see package novelty. KDist2 and Density have n entries.
	// LocalScores and GlobalScores are the reference points' leave-one-out
	// values, ascending.
	NoveltyK                  int
	KDist2                    []float64
	Density                   []float64
	LocalScores, GlobalScores []float64

	// Index, if there is one, is an index over Reference, by whose answers events are
	// placed. It must not change.
	Index *hnsw.Index
	// CellRecall is the share of an event's neighbours that cells are to find (package ivf). With
	// neither cells, 0, nor an index neighbours are searched exactly.
	CellRecall float64
	// Cells are these if they have been made. No file has them: who reads one makes them of
	// Reference.
	Cells *ivf.Index

	// Parts are what the model of this kind keeps beside all that.
	Parts []Part

	// Positions are the source positions this map has learnt from.
	Positions []Position

	// links are the bytes of the index while a file is read, before it is decoded.
	links []byte
}

// Student is what a map with heavy tails knows beside the rest (package
// lvm/student has the formulas).
type Student struct {
	// Tail is a, the shape of the tails.
	Tail float64
	// Unit is the median squared distance of neighbours; scales are clipped to
	// Clip: delta^2 = min(max(|x - x'|^2/Unit, Clip[0]), Clip[1]).
	Unit float64
	Clip [2]float64
	// Weight is c, the weight of one ordered dissimilar pair.
	Weight float64
	// Field names how the dissimilar pairs were summed ("all", "map", "shared",
	// "anchors"), Theta is the accuracy of cells (0 where there were none) and
	// Seed what draws began with.
	Field string
	Theta float64
	Seed  uint64
	// Error2 (n) are the squared standard errors of the points' places given
	// their neighbours': what is published as sigma^2. Sigma2 holds the model's
	// own variances, which learning may leave fixed.
	Error2 []float64
}

// Approximate reports whether events are placed by neighbours of which some may be missing.
func (s *Snapshot) Approximate() bool { return s.Index != nil || s.CellRecall > 0 }

// Published2 returns the squares of what is published as the reference points'
// sigma: with Gaussian tails the latent variances, with heavy tails the squared
// standard errors.
func (s *Snapshot) Published2() []float64 {
	if s.Student != nil {
		return s.Student.Error2
	}
	return s.Sigma2
}

// Position says that everything of a topic's partition before Offset has been seen.
type Position = offsets.Position
