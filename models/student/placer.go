package student

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/climb"
	"unfold/internal/simd/topk"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/points"
	"unfold/models/snapshot"
)

// ResolveRule replaces placing.RuleAuto by the default for a map of the given number of dimensions.
// It returns a *models.SettingError if a rule is not supported.
func ResolveRule(r placing.Rule, dims int) (placing.Rule, error) {
	switch {
	case r == placing.RuleAuto && dims <= 3:
		return placing.Robust, nil
	case r == placing.RuleAuto:
		return placing.LLE, nil
	case r == placing.EM:
		return r, &models.SettingError{Name: "place", Problem: "em goes with Gaussian tails; this map has heavy ones: take auto, robust, lle or median"}
	}
	return r, nil
}

// Reach returns the number of neighbours to search for when an event that sends the given number of
// edges is placed on a map of n reference points. It is the largest number that any part needs,
// plus one in case the event is itself a reference point.
func Reach(neighbors, noveltyK, n int) int {
	return min(n, max(neighbors, receiveRange, lleNeighbors(neighbors), noveltyK)+1)
}

// Placer places events against one snapshot of this model. It implements
// models.Decoder.
type Placer struct {
	*placing.Searcher
	*placing.Regression
	snap  *snapshot.Snapshot
	set   placing.Options
	sent  []float64 // weights of the edges sent, by rank
	works par.Lender[placeWork]
}

var _ models.Decoder = (*Placer)(nil)

// NewPlacer returns a placer against s. It validates s and then shares its memory.
func NewPlacer(s *snapshot.Snapshot, set placing.Options) (*Placer, error) {
	if err := placing.Check(points.Kind, s, set); err != nil {
		return nil, err
	}
	switch {
	case s.Student == nil:
		return nil, models.BadInputf(points.Kind + ": the snapshot is no map with heavy tails")
	case !(set.RankDecay <= mostRankDecay):
		return nil, fmt.Errorf(points.Kind+": a rank decay of %v", set.RankDecay)
	case !(set.Received >= 0) || math.IsInf(set.Received, 0):
		return nil, fmt.Errorf(points.Kind+": a weight of %v for edges received", set.Received)
	}
	var err error
	if s.Graph != nil && set.Rule == placing.RuleAuto {
		set.Rule = placing.Robust
	}
	if err := models.Require(s.Graph == nil || set.Rule != placing.LLE, "place", "lle combines vectors, which the nodes of a graph do not have: take auto, robust or median"); err != nil {
		return nil, err
	}
	if set.Rule, err = ResolveRule(set.Rule, s.Mu.Cols); err != nil {
		return nil, err
	}
	n := s.Reference.Rows
	set.Neighbors = min(cmp.Or(set.Neighbors, s.Neighbors), n-1)
	set.Received = cmp.Or(set.Received, DefaultReceived)
	frame, err := placing.New(s, Reach(set.Neighbors, s.NoveltyK, n), set)
	if err != nil {
		return nil, fmt.Errorf(points.Kind+": %w", err)
	}
	return &Placer{Searcher: frame, Regression: placing.NewRegression(frame), snap: s, set: set, sent: nearWeights(set.Neighbors, set.RankDecay)}, nil
}

// Place returns the places of the rows of x; see models.Placer. An event that
// equals a reference point gets that point's own mean, standard error and
// leave-one-out novelty.
func (p *Placer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.Searcher.Place(ctx, x, func(b placing.Block) error {
		w := p.works.Get()
		defer p.works.Put(w)
		w.fit(p.Dims(), p.set.Neighbors)
		for i := b.From; i < b.To; i++ {
			z, index, dist2 := b.Event(i)
			error2 := p.one(w, z, index, dist2)
			b.Publish(i, w.mu, error2)
		}
		return nil
	})
}

// placeWork is the scratch memory for placing one event.
type placeWork struct {
	mu []float64 // the event's mean
	// Scratch memory for steps and edges, and for locally linear weights and their matrix.
	last, next []float64
	joined     []Edge
	edges      climb.Edges // joined, for the steps in the plane
	// key are coordinates of the edges in single precision, rank their ranks, and order the edges in
	// their order.
	key, rank, order []int32
	values           []float64 // scratch memory of Median
	sent, gram       []float64
}

// fit allocates the memory for a map of the given dimension and number of neighbours, unless it is
// there already.
func (w *placeWork) fit(dims, neighbors int) {
	if len(w.mu) == dims {
		return
	}
	linear := lleNeighbors(neighbors)
	edges := max(linear, receiveRange)
	room := func() []int32 { return make([]int32, par.Pieces(edges, topk.Side)*topk.Side) }
	*w = placeWork{
		mu: make([]float64, dims), last: make([]float64, dims), next: make([]float64, dims),
		joined: make([]Edge, 0, edges), values: make([]float64, 2*edges), sent: make([]float64, linear), gram: make([]float64, linear*linear),
		key: room(), rank: room(), order: room(),
	}
}
