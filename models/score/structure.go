package score

import (
	"context"

	"unfold/internal/vec"
)

// Structure measures how well the map preserves the structure of the data, local and global.
type Structure struct {
	Neighborhood
	// Shepard compares the distances of pairs.
	Shepard Correlation
	// Triplets are over all triples if the neighbourhoods are Exact, otherwise over random ones.
	Triplets Agreement
}

// Measure compares the map y (n x d) with the data x (n x dim), row by row. K must
// be less than n/2.
func Measure[T, U vec.Float](ctx context.Context, x vec.Matrix[T], y vec.Matrix[U], s Settings) (*Structure, error) {
	count, err := tripletCount(s)
	if err != nil {
		return nil, err
	}
	ranks, err := newRanking(ctx, x, y, s, ofTriplets)
	if err != nil {
		return nil, err
	}
	out := &Structure{Neighborhood: ranks.Neighborhood}
	pairs, err := Distances(ctx, x, y, s)
	if err != nil {
		return nil, err
	}
	out.Shepard = *pairs
	if ranks.Exact {
		out.Triplets = Agreement{Share: ranks.triplets, Count: allTriplets(x.Rows), Exact: true}
	} else {
		out.Triplets = triplets(s.Distance, x, y, count, s.Seed, s.Threads)
	}
	return out, ctx.Err()
}
