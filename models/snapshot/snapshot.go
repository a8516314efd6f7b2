package snapshot

import (
	"unfold/internal/offsets"
	"unfold/internal/vec"
	"unfold/sparse/distance"
	"unfold/sparse/knn/hnsw"
	"unfold/sparse/knn/ivf"
)

// Snapshot is an immutable state of a map. It contains everything that placing an event and
// continued learning need. All fields are read-only once the snapshot has been published.
type Snapshot struct {
	// Kind is the name of the model in package fit.
	Kind string
	// MapID is the map id, 32 hexadecimal digits (NewMapID, ContentID). All snapshots of one map
	// have the same id, and different maps have different ones. It is empty in files from before
	// there were ids.
	MapID string
	// Version numbers the snapshots of one map from 1. Epoch numbers its coordinate frames from 1.
	Version uint64
	Epoch   uint32
	// Settings are the model's own settings as JSON.
	Settings []byte
	// Encoder converts raw records to vectors (vocabularies, means, ...), in a format that only
	// package ingest reads. If it is empty, vectors are used as they are.
	Encoder []byte
	// Shift, if not nil, are Dim numbers that were subtracted from vectors in double precision, for
	// files without an encoder. Reference and Mean are those of shifted vectors.
	Shift []float64
	// Learning is the further state and the report of a learner, as JSON that only package
	// stream/learn reads.
	Learning []byte
	// Names are the names of the encoded vector's elements, or nil.
	Names []string

	// Mean (dim) and Components (q x dim, orthonormal rows) are the PCA before the neighbour
	// search: z = Components (x - Mean). Without a PCA, Components has no rows and z = x.
	Mean       []float32
	Components vec.Matrix[float32]
	// Dim is the dimension of an event's vector, before PCA.
	Dim int

	// Distance is the distance among reference points and from events to them.
	Distance distance.Distance

	// Graph is set if the map is one of a graph. Reference is then n x 0, and Dim is n.
	Graph *Graph

	// Reference are the reference points z, n x q. Count[i] >= 1 is the number of events that are
	// exact duplicates of point i.
	Reference vec.Matrix[float32]
	// Release, if not nil, is called after every 16 MiB of Reference that Validate or Write has
	// read, because rows of a mapped file need not stay in memory. It is not written to the file.
	Release func()
	Count   []uint32
	// IDs are the ids of the newest event of each point, "" if unknown. It is nil if no id is
	// known.
	IDs []string

	// Mu (n x d), Sigma2 (n) are the latent means and variances.
	Mu     vec.Matrix[float64]
	Sigma2 []float64
	// Bandwidth2 (n) determines which points an event is a neighbour of. With Gaussian tails it is
	// Delta_i^2, the squared dissimilarity length scale: point i sends an edge to an event within
	// sqrt(2 ln 2 Delta_i^2). With heavy tails it is the squared distance to the k-th neighbour, in
	// input units and not clipped: point i sends an edge to an event within its root.
	Bandwidth2 []float64
	// Student is set if the map was learnt with heavy tails; nil means Gaussian tails.
	Student *Student
	// Neighbors is the model's k.
	Neighbors int
	// Steps is the number of EM steps with which Mu and Sigma2 were learnt. The scale of a new
	// event is computed with as many (package saul).
	Steps int
	// Dissimilar is the share, in [0,1), of a typical point's weight that lies in
	// dissimilar pairs (package saul, eq 21).
	Dissimilar float64
	// Unlearnt[i] is true for a reference point that was placed but not learnt (components:
	// largest). nil means none.
	Unlearnt []bool

	// Novelty tables (package novelty). KDist2 and Density have n entries. LocalScores and
	// GlobalScores are the leave-one-out values of the reference points, ascending.
	NoveltyK                  int
	KDist2                    []float64
	Density                   []float64
	LocalScores, GlobalScores []float64

	// Index, if not nil, is an index over Reference for placing events. It must not change.
	Index *hnsw.Index
	// CellRecall is the share of an event's neighbours that cells must find (package ivf). If it is
	// 0 and there is no index, neighbours are searched exactly.
	CellRecall float64
	// Cells are these cells if they have been computed. They are not in the file: the reader
	// computes them from Reference.
	Cells *ivf.Index

	// Parts are the arrays that only this kind of model has.
	Parts []Part

	// Positions are the source positions up to which this map has learnt.
	Positions []Position

	// links are the bytes of the index, between reading and decoding.
	links []byte
}

// Student is the part of a snapshot that only maps with heavy tails have. See package student for
// the formulas.
type Student struct {
	// Tail is a, the shape of the tails.
	Tail float64
	// Unit is the median squared distance of neighbours. Scales are clipped to Clip: delta^2 =
	// min(max(|x - x'|^2/Unit, Clip[0]), Clip[1]).
	Unit float64
	Clip [2]float64
	// Weight is c, the weight of one ordered dissimilar pair.
	Weight float64
	// Field is the kind of sum over dissimilar pairs ("all", "map", "shared", "anchors"). Theta is
	// the accuracy of cells (0 without cells), and Seed the seed of random draws.
	Field string
	Theta float64
	Seed  uint64
	// Error2 (n) are the squared standard errors of the points' places given their neighbours,
	// which are published as sigma^2. Sigma2 are the model's own variances, which learning may
	// leave fixed.
	Error2 []float64
}

// Approximate reports whether events are placed with neighbours that may be incomplete.
func (s *Snapshot) Approximate() bool { return s.Index != nil || s.CellRecall > 0 }

// Published2 returns the squares of the published sigma of the reference points: the latent
// variances with Gaussian tails, the squared standard errors with heavy ones.
func (s *Snapshot) Published2() []float64 {
	if s.Student != nil {
		return s.Student.Error2
	}
	return s.Sigma2
}

// Position states that all records of a topic's partition before Offset have been read.
type Position = offsets.Position
