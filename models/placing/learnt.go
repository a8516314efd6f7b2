package placing

import (
	"context"
	"fmt"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Learnt are the points that a model learnt, a sample of all (Sample). They are in the frame of
// learning. All other vectors are placed relative to them.
type Learnt struct {
	// Rows are their indices among all points, ascending.
	Rows []int32
	// X are their places, m x d.
	X vec.Matrix[float64]
	// Units are the model's units.
	Units Units
	// Neighbors is the number of nearest learnt points that a guest is given, or fewer if there are
	// fewer.
	Neighbors int
	// Threads bounds the goroutines of one call; 0 means GOMAXPROCS.
	Threads int
	// Missing reports whether value c of learnt point j was missing and has been filled in. It is
	// nil if none was.
	Missing func(j, c int) bool
	// Invite makes a guest.
	Invite func() Guest
}

// Guest places vectors relative to the learnt points and holds the scratch memory for that. It
// serves one goroutine.
type Guest interface {
	// Place returns the place of z, which the caller may overwrite, and its variance. near are the
	// nearest learnt points, nearest first, as indices into the learnt points.
	Place(ctx context.Context, z []float32, near []int32) (mu []float64, sigma2 float64, err error)
	// Settled returns the place of learnt point l, which is read-only, and its variance.
	Settled(l int) (mu []float64, sigma2 float64)
	// Decode sets y to the vector for the place x, in the model's units, and returns the variance
	// of its elements.
	Decode(y, x []float64) (variance float64)
}

// Party is a Guest that places several vectors faster than one by one.
type Party interface {
	Guest
	// Come sets the vectors that are placed next. They must not change.
	Come(z vec.Matrix[float32])
	// PlaceOne is Place for row i of these vectors.
	PlaceOne(ctx context.Context, i int, near []int32) (mu []float64, sigma2 float64, err error)
}

// host finds the nearest learnt points and lends guests.
type host struct {
	Learnt
	index  knn.Index
	guests par.Lender[struct{ Guest }]
}

// newHost returns the host of the learnt points among the rows of x. If all rows are learnt it has
// no index, because the neighbours of events are known from the frame.
func newHost(x vec.Matrix[float32], l Learnt) *host {
	h := &host{Learnt: l}
	if len(l.Rows) < x.Rows {
		h.index = knn.NewExact(vec.Take(x, l.Rows))
	}
	return h
}

// near returns the nearest learnt points of the rows of z.
func (h *host) near(ctx context.Context, z vec.Matrix[float32], threads int) (*knn.Neighbors, error) {
	nb, err := h.index.Search(ctx, z, min(h.Neighbors, len(h.Rows)), knn.Settings{Threads: threads})
	if err != nil {
		return nil, fmt.Errorf("placing: %w", err)
	}
	return nb, nil
}

// borrow returns a guest, which must be returned to guests.
func (h *host) borrow() *struct{ Guest } {
	w := h.guests.Get()
	if w.Guest == nil {
		w.Guest = h.Invite()
	}
	return w
}

// placer returns a function that places a row of z with a guest, given its nearest learnt points.
func placer(g Guest, z vec.Matrix[float32]) func(ctx context.Context, i int, near []int32) (mu []float64, sigma2 float64, err error) {
	if p, is := g.(Party); is {
		p.Come(z)
		return p.PlaceOne
	}
	return func(ctx context.Context, i int, near []int32) ([]float64, float64, error) {
		return g.Place(ctx, z.Row(i), near)
	}
}

// piece is the number of consecutive vectors that one guest places.
const piece = 16

// All returns the places and variances of all rows of x in the frame of learning. Learnt rows keep
// their places, and others are placed. Progress may be nil.
func (l Learnt) All(ctx context.Context, x vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	rest, learnt := make([]int32, 0, x.Rows-len(l.Rows)), make([]bool, x.Rows)
	for _, i := range l.Rows {
		learnt[i] = true
	}
	for i, is := range learnt {
		if !is {
			rest = append(rest, int32(i))
		}
	}
	mu, sigma2 = vec.New[float64](x.Rows, l.X.Cols), make([]float64, x.Rows)
	if len(rest) != 0 {
		places, variances, err := l.Others(ctx, vec.Take(x, l.Rows), vec.Take(x, rest), progress)
		if err != nil {
			return mu, nil, err
		}
		for o, i := range rest {
			copy(mu.Row(int(i)), places.Row(o))
			sigma2[i] = variances[o]
		}
	}
	guest := l.Invite()
	for o, i := range l.Rows {
		var place []float64
		place, sigma2[i] = guest.Settled(o)
		copy(mu.Row(int(i)), place)
	}
	return mu, sigma2, ctx.Err()
}

// Others returns the places and variances of the rows of z in the frame of learning. x are the
// vectors of the learnt points. Progress may be nil.
func (l Learnt) Others(ctx context.Context, x, z vec.Matrix[float32], progress func(done, total int)) (mu vec.Matrix[float64], sigma2 []float64, err error) {
	mu, sigma2 = vec.New[float64](z.Rows, l.X.Cols), make([]float64, z.Rows)
	h := &host{Learnt: l, index: knn.NewExact(x)}
	near, err := h.near(ctx, z, l.Threads)
	if err != nil {
		return mu, nil, err
	}
	failed := make([]error, par.Pieces(z.Rows, piece))
	done := par.NewProgress(len(failed), progress)
	par.Ranges(l.Threads, z.Rows, piece, func(p, from, to int) {
		w := h.borrow()
		defer h.guests.Put(w)
		put := placer(w.Guest, z.Slice(from, to))
		for i := from; i < to && failed[p] == nil && ctx.Err() == nil; i++ {
			var place []float64
			list, _ := near.Row(i)
			place, sigma2[i], failed[p] = put(ctx, i-from, list)
			copy(mu.Row(i), place)
		}
		done.Step()
	})
	if err := ctx.Err(); err != nil {
		return mu, nil, err
	}
	for _, err := range failed {
		if err != nil {
			return mu, nil, err
		}
	}
	return mu, sigma2, nil
}
