package models

import (
	"context"

	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Placed holds the places of n events on the map.
type Placed struct {
	// Mu are the coordinates, n x d.
	Mu vec.Matrix[float32]
	// Sigma is a length scale for each event, in map units: the model's estimate of the error of
	// its place. See the model.
	Sigma []float32
	// NoveltyLocal and NoveltyGlobal are percentiles in [0,1] of the event's
	// local outlier factor and of its mean neighbour distance among the
	// reference points' own leave-one-out values.
	NoveltyLocal, NoveltyGlobal []float32
	// Near lists the nearest reference points of each event, as they were found for its
	// place and its novelty: nearest first, at least one more than novelty looks at, the
	// first at distance 0 if the event equals one. Nil if the model has no neighbours.
	Near *knn.Neighbors
	// Seen are the events as the model sees them, n x q (after PCA); no rows if the model
	// does not say.
	Seen vec.Matrix[float32]
}

// Placer places events against a fixed snapshot. Place is a pure function of
// (snapshot, vector): the same bits for any batch size, order and number of
// threads. A Placer is safe for concurrent use.
type Placer interface {
	// Place returns the places of the rows of x (n x Dim, before PCA). It
	// fails with a *DimensionError if x.Cols != Dim, and with a *RowError that
	// names row and column if a value is not finite.
	Place(ctx context.Context, x vec.Matrix[float32]) (Placed, error)
	// Dim is the dimension of an event's vector, Dims that of the map.
	Dim() int
	Dims() int
	// Version, Epoch and MapID are those of the snapshot.
	Version() uint64
	Epoch() uint32
	MapID() string
}

// Decoded are the vectors that are predicted at n points of a map.
type Decoded struct {
	// X are the vectors, n x Dim, as events would have them (before PCA).
	X vec.Matrix[float32]
	// Sigma is the model's standard deviation of an element of each vector, the root
	// mean square over the elements.
	Sigma []float32
}

// Lenient is a Placer that can do without some values.
type Lenient interface {
	Placer
	// PlaceMissing is Place for rows in which some values, but not all, may be missing, NaN. Rows
	// that were learnt without them have the places that they were learnt at.
	PlaceMissing(ctx context.Context, x vec.Matrix[float32]) (Placed, error)
}

// Decoder is a Placer that also predicts the vector at a point of the map. Not every kind of model
// has one; it is found by assertion.
type Decoder interface {
	Placer
	// Decode returns the vectors at the rows of mu (n x Dims). It is a pure function of
	// the snapshot and the row, safe for concurrent use, and fails with a
	// *DimensionError if mu.Cols != Dims and with a *RowError if a value is not finite.
	Decode(ctx context.Context, mu vec.Matrix[float32]) (Decoded, error)
}

// DecoderOf returns the Placer p of a map of the given kind as a Decoder. A model that cannot
// decode is bad input.
func DecoderOf(p Placer, kind string) (Decoder, error) {
	d, ok := p.(Decoder)
	if !ok {
		return nil, BadInputf("a model of kind %s has no mapping back into the data", kind)
	}
	return d, nil
}

// Likely is a Placer whose model gives events a likelihood. It is found by assertion.
type Likely interface {
	Placer
	// LogLik returns the log-likelihood of each row of x, in nats, given that the row lies at its
	// place: at is the result of Place or PlaceMissing for x. Rows with missing values, NaN, have
	// the likelihood of the others. Every value is finite; one beyond the range of float32 is the
	// largest or the smallest number of it. Like Place it is a pure function of the snapshot and the
	// row, and safe for concurrent use.
	LogLik(ctx context.Context, x vec.Matrix[float32], at Placed) ([]float32, error)
}

// Spreader is a Placer whose model knows how well the places of the points that it was
// learnt from are known. It is found by assertion.
type Spreader interface {
	Placer
	// Spread returns the means (m x Dims) of those points and the covariances of their
	// coordinates, Dims x Dims each.
	Spread() (mu vec.Matrix[float64], cov []vec.Matrix[float64])
}
