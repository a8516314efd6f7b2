package snapshot

import "unfold/sparse/vec"

// Snapshot is an immutable state of a map: everything that placing an event
// needs, and what learning needs to go on. All fields are read-only once the
// snapshot has been published.
type Snapshot struct {
	// Kind names the model, "lvm".
	Kind string
	// Version counts snapshots of one map upwards from 1; Epoch counts its
	// coordinate frames from 1.
	Version uint64
	Epoch   uint32
	// Settings are the model's own settings as JSON.
	Settings []byte
	// Encoder is how raw records become vectors (vocabularies, means, ...), as
	// bytes that only package ingest reads. Empty: vectors come as they are.
	Encoder []byte
	// Names are the names of the encoded vector's elements, or nil.
	Names []string

	// Mean (dim) and Components (q x dim, orthonormal rows) are the PCA that
	// comes before neighbour search: z = Components (x - Mean). Components has
	// no rows if there is none; then z = x.
	Mean       []float32
	Components vec.Matrix[float32]
	// Dim is the dimension of an event's vector, before PCA.
	Dim int

	// Reference are the reference points z, n x q. Count[i] >= 1 is how many
	// events were exact duplicates of point i.
	Reference vec.Matrix[float32]
	Count     []uint32

	// Mu (n x d), Sigma2 (n) are the latent means and variances.
	Mu     vec.Matrix[float64]
	Sigma2 []float64
	// Bandwidth2 (n) is Delta_i^2, the squared dissimilarity length scale.
	Bandwidth2 []float64
	// Neighbors is the model's k.
	Neighbors int
	// Steps is the number of EM steps that Mu and Sigma2 went through. The
	// scale of a new event goes through as many (package lvm).
	Steps int
	// Dissimilar is the share, in [0,1), of a typical point's weight that lies in
	// dissimilar pairs (package lvm, eq 21).
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

	// Positions are the source positions this map has learnt from.
	Positions []Position
}

// Position says that everything of a topic's partition before Offset has been seen.
type Position struct {
	Topic     string
	Partition int32
	Offset    int64
}
